package io.rdma.internal.connect;

import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.environment.Environment;
import io.rdma.internal.engine.Endpoint;
import io.rdma.types.CmEventType;
import io.rdma.types.RdmaException;
import io.rdma.verbs.CmEvent;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariant: while the connection is made, events are queued for the thread that makes it. From follow() on, each event
// acts on the endpoint. Events that were still queued at that moment act on it first, in order.

/**
 * Handler of the events of one identifier of RDMA CM, in two phases. While the connection is made, a connecting thread
 * awaits one event after the other, see {@link #await}. Once the connection has an endpoint, see {@link #follow}, an
 * event that reports its end ends that endpoint.
 */
final class CmDialog implements CmEventHandler {
    private static final String LOST = "the events of the connection manager cannot be read any more";

    private final String peer;
    private final Environment environment;
    private final Duration timeout;
    private final long deadline;
    private final LinkedBlockingQueue<News> events = new LinkedBlockingQueue<>();
    private @Nullable Endpoint endpoint;

    /** Entry of the queue on which the connecting thread waits. */
    private sealed interface News {
        /** Event of the connection manager. */
        record Event(CmEvent event) implements News {}

        /** First frame of the peer. */
        record Heard() implements News {}

        /** Cancellation by the caller. */
        record Cancelled() implements News {}

        /** End of the events: no more arrive. */
        record Lost(Throwable cause) implements News {}
    }

    CmDialog(Environment environment, String peer, Duration timeout) {
        this.environment = environment;
        this.peer = peer;
        this.timeout = timeout;
        this.deadline = environment.nanoTime() + ExchangeDeadline.nanos(timeout);
    }

    @Override
    public void accept(CmEvent event) {
        tell(new News.Event(event));
    }

    @Override
    public void lost(Throwable cause) {
        tell(new News.Lost(cause));
    }

    private synchronized void tell(News news) {
        if (endpoint == null) {
            events.add(news);
        } else {
            react(endpoint, news);
        }
    }

    /** Makes events end this endpoint from now on. */
    synchronized void follow(Endpoint connected) {
        endpoint = connected;
        News news;
        while ((news = events.poll()) != null) {
            react(connected, news);
        }
    }

    private static void react(Endpoint endpoint, News news) {
        switch (news) {
            case News.Event happened -> react(endpoint, happened.event());
            case News.Lost lost -> endpoint.fail(new RdmaException(LOST, lost.cause()));
            case News.Heard heard -> {} // no thread awaits it any more
            case News.Cancelled cancelled -> {} // the connection was made before the cancel
        }
    }

    private static void react(Endpoint endpoint, CmEvent event) {
        switch (event.type()) {
            case DISCONNECTED -> endpoint.peerDisconnected();
            case DEVICE_REMOVAL -> endpoint.peerLost(new RdmaException("the device was removed"));
            case REJECTED, CONNECT_ERROR, UNREACHABLE ->
                endpoint.peerLost(new RdmaException("the peer aborted this connection: " + event));
            default -> {} // TIMEWAIT_EXIT frees nothing here, ADDR_CHANGE is a hint
        }
    }

    /** Cancels the wait: the waiting thread fails with CANCELLED. */
    void cancel() {
        events.add(new News.Cancelled());
    }

    /** Returns the remaining time of the whole dialog. */
    Duration left() {
        return Duration.ofNanos(Math.max(1, deadline - environment.nanoTime()));
    }

    /**
     * Waits for an event of a type. Skips events of address changes and of the end of TIMEWAIT.
     *
     * @throws RdmaConnectException if another event arrives, none arrives in time, or the caller cancels
     */
    CmEvent await(CmEventType wanted) {
        while (true) {
            CmEvent event = event(next());
            if (event.type() == wanted) {
                return event;
            }
            require(event);
        }
    }

    /**
     * Waits for the first frame of the peer, before which an endpoint may not send.
     *
     * @throws RdmaConnectException as {@link #await}
     */
    void awaitFirstFrame(Endpoint connected) {
        CompletableFuture<Void> first = connected.receives().firstFrame();
        if (first == null) {
            return;
        }
        first.thenRun(() -> events.add(new News.Heard()));
        connected.closed().thenRun(() -> events.add(new News.Heard())); // its consumer learns why
        for (News news = next(); !(news instanceof News.Heard); news = next()) {
            require(event(news));
        }
    }

    private void require(CmEvent event) {
        if (event.type() != CmEventType.ADDR_CHANGE && event.type() != CmEventType.TIMEWAIT_EXIT) {
            throw failed(event);
        }
    }

    private News next() {
        try {
            News next = events.poll(deadline - environment.nanoTime(), TimeUnit.NANOSECONDS);
            if (next == null) {
                throw new RdmaConnectException(Reason.TIMEOUT, peer + " did not answer within " + timeout, null);
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaConnectException(Reason.CANCELLED, "interrupted while connecting to " + peer, e);
        }
    }

    private CmEvent event(News news) {
        return switch (news) {
            case News.Event happened -> happened.event();
            case News.Heard heard -> throw new IllegalStateException("only the last step awaits a frame");
            case News.Cancelled cancelled ->
                throw new RdmaConnectException(Reason.CANCELLED, "connecting was cancelled", null);
            case News.Lost lost -> throw new RdmaConnectException(Reason.DEVICE, peer + ": " + LOST, lost.cause());
        };
    }

    private RdmaConnectException failed(CmEvent event) {
        byte[] data = event.parameters().privateData();
        return switch (event.type()) {
            case ADDR_ERROR ->
                failed(
                        Reason.ADDR_ERROR,
                        event,
                        "cannot be reached by an RDMA device of this host. Is there a route to that address?");
            case ROUTE_ERROR ->
                failed(
                        Reason.ROUTE_ERROR,
                        event,
                        "has no route. Is there a subnet manager (InfiniBand), or a device at the interface (RoCE)?");
            case UNREACHABLE ->
                event.status() > 0 // status of an answer to a look-up; else an errno
                        ? failed(Reason.REJECTED, event, "has no datagram service at that port. Is it bound?")
                        : failed(Reason.UNREACHABLE, event, "does not answer. Is UDP port 4791 open?");
            case MULTICAST_ERROR -> failed(Reason.CONNECT_ERROR, event, "was not joined");
            case REJECTED -> {
                String why = CmGreeting.rejected(data);
                String text = !why.isEmpty()
                        ? "refused the connection: " + why
                        : switch (event.status()) {
                            case CmConnector.INVALID_SERVICE_ID -> CmConnector.NO_LISTENER;
                            case CmConnector.INVALID_TRANSPORT -> CmConnector.OTHER_TRANSPORT;
                            default -> "refused the connection";
                        };
                yield new RdmaConnectException(
                        Reason.REJECTED, peer + " " + text + " (" + event + ")", null, event.status(), data);
            }
            case DEVICE_REMOVAL -> failed(Reason.DEVICE, event, "cannot be reached: the local device was removed");
            default -> failed(Reason.CONNECT_ERROR, event, "did not complete the connection");
        };
    }

    private RdmaConnectException failed(Reason reason, CmEvent event, String text) {
        return new RdmaConnectException(
                reason, peer + " " + text + " (" + event + ")", null, event.status(), new byte[0]);
    }
}
