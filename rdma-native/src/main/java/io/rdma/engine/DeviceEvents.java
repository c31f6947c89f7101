package io.rdma.engine;

import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.AsyncEvents;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.RdmaException;
import java.lang.System.Logger;
import java.util.List;
import java.util.function.Consumer;

// Invariant: events are read here alone; what they mean for a connection is done on its loop.

/** The thread that reads a device's asynchronous events, {@code ibv_get_async_event(3)}, and tells the connections that they concern. */
final class DeviceEvents implements AutoCloseable {
    private static final Logger LOG = System.getLogger(DeviceEvents.class.getName());

    private final AsyncEvents events;
    private final List<CompletionLoop> loops;
    private volatile boolean running = true;

    DeviceEvents(DeviceContext context, List<CompletionLoop> loops) {
        this.loops = loops;
        events = context.asyncEvents();
        Thread.ofPlatform().daemon().name("rdma-events-" + context.name()).start(this::run);
    }

    private void run() {
        while (running) {
            try {
                AsyncEvent event = events.await(-1) ? events.take() : null;
                if (event != null) {
                    tell(event);
                }
            } catch (IllegalStateException closed) {
                return;
            } catch (RuntimeException e) {
                LOG.log(Logger.Level.ERROR, "the events of the device can't be read any more", e);
                return;
            }
        }
    }

    private void tell(AsyncEvent event) {
        switch (event.type()) {
            case QP_LAST_WQE_REACHED -> concerned(event, RdmaEndpoint::lastReceiveReached);
            case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR ->
                concerned(event, endpoint -> endpoint.peerLost(new RdmaException("the device reports " + event)));
            case CQ_ERR ->
                loops.stream()
                        .filter(loop -> event.concerns(loop.completionQueue()))
                        .forEach(loop -> failAll(loop, event));
            case DEVICE_FATAL, SRQ_ERR -> loops.forEach(loop -> failAll(loop, event));
            case COMM_EST, SQ_DRAINED, SRQ_LIMIT_REACHED -> LOG.log(Logger.Level.DEBUG, "{0}", event);
            default -> LOG.log(Logger.Level.INFO, "the device reports {0}", event);
        }
    }

    private void concerned(AsyncEvent event, Consumer<RdmaEndpoint> what) {
        for (CompletionLoop loop : loops) {
            for (RdmaEndpoint endpoint : loop.endpoints()) {
                if (endpoint.isConcernedBy(event)) {
                    what.accept(endpoint);
                }
            }
        }
    }

    private static void failAll(CompletionLoop loop, AsyncEvent event) {
        loop.endpoints().forEach(endpoint -> endpoint.fail(new RdmaException("the device reports " + event)));
    }

    /** Ends the thread; the device may be closed then. */
    @Override
    public void close() {
        running = false;
        events.close();
    }
}
