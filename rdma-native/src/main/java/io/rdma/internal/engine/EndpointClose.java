package io.rdma.internal.engine;

import io.rdma.engine.ConnectionClosedException;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.verbs.QueuePair;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

// States: OPEN -> LEAVING (sends the farewell, if there is one) -> CLOSING (queue pair in ERR, drains) -> CLOSED (queue
// pair destroyed).
// Close order: refuse submissions; fail waiting operations; send the farewell behind the posted requests (bounded in
// time); move the queue pair to ERR; count completions down (bounded in time); destroy the queue pair; fail the
// remaining operations; release slots and regions.
// An unreliable connection has no farewell. It stays in LEAVING until the posted requests have left, which needs no
// peer.
// LEAVING ends when the farewell has completed, when the peer has ended, when the loop or the queue pair cannot
// complete the farewell, or when the time is up.
// The end (first failure, or an orderly close) is decided once, by the thread that sets `end`.

/** Close of an endpoint: the reason for its end, and the steps that follow on the loop. */
final class EndpointClose {
    /** Reason for the end. {@code cause} is null after an orderly close; {@code farewell} is the frame to be sent. */
    private record End(String message, @Nullable Throwable cause, int farewell) {}

    private static final AtomicReferenceFieldUpdater<EndpointClose, @Nullable End> END =
            AtomicReferenceFieldUpdater.newUpdater(EndpointClose.class, End.class, "end");

    private final Endpoint endpoint;
    private final QueuePair queuePair;
    private final CompletionLoop loop;
    private final long drainNanos;
    private final long opened;
    private final Runnable startDrain = this::startDrain; // made here, because memory may be short when it is needed
    private volatile @Nullable End end; // no AtomicReference, because each submit reads it
    private final CompletableFuture<Void> ending = new CompletableFuture<>();
    private final CompletableFuture<Void> left = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private boolean peerEnded; // (loop)
    private long leaveDeadline; // (loop) nanoTime
    private volatile long drainDeadline; // nanoTime

    EndpointClose(Endpoint endpoint, QueuePair queuePair) {
        this.endpoint = endpoint;
        this.queuePair = queuePair;
        this.loop = endpoint.loop();
        this.drainNanos = Endpoint.nanos(endpoint.options().drainTimeout());
        this.opened = now();
    }

    private long now() {
        return loop.environment().nanoTime();
    }

    /** Ends the endpoint without a farewell: the peer knows of the end, or cannot be notified. */
    void begin(String message, @Nullable Throwable cause) {
        begin(message, cause, Frame.DATA);
    }

    /**
     * Ends the endpoint, unless it has ended. Any thread.
     *
     * @param message for the errors of its operations
     * @param cause failure; null for an orderly close
     * @param farewell type of the frame that tells the peer; {@link Frame#DATA} for none
     */
    void begin(String message, @Nullable Throwable cause, int farewell) {
        if (END.compareAndSet(this, null, new End(message, cause, farewell)) || !ending.isDone()) {
            endpoint.receives().close();
            loop.execute(startDrain); // again if it is not running yet: the call before may have had no memory for it
        }
    }

    /** Notes that the peer has ended, and receives no farewell. Loop. */
    void peerEnded() {
        peerEnded = true;
    }

    boolean isBegun() {
        return end != null;
    }

    /** Returns the failure that ended the endpoint; null while it is open, and after an orderly close. */
    @Nullable
    Throwable cause() {
        End now = end;
        return now == null ? null : now.cause();
    }

    /** Returns whether this side closed in an orderly way, before the peer did. */
    boolean isClosedHere() {
        End now = end;
        return now != null && now.cause() == null && now.farewell() == Frame.BYE;
    }

    /**
     * Returns the error for an operation that the end of the connection ended.
     *
     * @param posted whether the device may have executed it
     */
    ConnectionClosedException exception(boolean posted) {
        End now = end;
        return now == null
                ? new ConnectionClosedException("connection is closed", null, posted)
                : new ConnectionClosedException(now.message(), now.cause(), posted);
    }

    /** See {@link Endpoint#ending}. */
    CompletableFuture<Void> ending() {
        return ending;
    }

    /** See {@link Endpoint#left}. */
    CompletableFuture<Void> left() {
        return left;
    }

    /** See {@link Endpoint#closed}. */
    CompletableFuture<Void> closed() {
        return closed;
    }

    private void startDrain() {
        if (ending.isDone()) {
            return;
        }
        endpoint.sends().refuse(); // before the choice of the farewell: no stream that begins later sends a message
        int farewell = farewell(Objects.requireNonNull(end));
        leaveDeadline = now() + drainNanos;
        endpoint.attempt(() -> ending.complete(null));
        endpoint.attempt(() -> endpoint.sends().close(farewell));
        endpoint.attempt(() -> endpoint.sendBuffers().close(exception(false)));
        if (farewell == Frame.DATA && !(isClosedHere() && endpoint.numbers() != null)) {
            leave();
        }
        loop.drain(endpoint);
    }

    private int farewell(End now) {
        boolean cut = now.farewell() == Frame.BYE && endpoint.openStreams().any();
        if (!endpoint.options().farewells()) {
            if (cut) {
                endpoint.sends().farewell().abort();
            }
            return Frame.DATA;
        }
        return cut ? Frame.ABORT : now.farewell();
    }

    /** Goes from LEAVING to CLOSING: sends nothing more, and moves the queue pair to ERR. Loop. */
    private void leave() {
        endpoint.sends().farewell().over();
        if (endpoint.numbers() != null && endpoint.inFlight() > 0) {
            endpoint.sends().farewell().abort(); // the time is up, and messages have not left
        }
        endpoint.attempt(() -> left.complete(null));
        endpoint.attempt(queuePair::moveToError); // if this fails, destroying the queue pair ends its requests as well
        endpoint.receives().draining();
        drainDeadline = now() + drainNanos;
    }

    private boolean isFarewellOver() {
        return peerEnded || loop.failure() != null || endpoint.sends().hasSaidAll() || now() - leaveDeadline >= 0;
    }

    /**
     * Finishes the close once nothing is in flight, or time is up. Loop.
     *
     * @return whether it is finished
     */
    boolean finishIfDrained() {
        if (closed.isDone()) { // another endpoint threw before the loop could remove this one
            return true;
        }
        if (!left.isDone()) {
            if (!isFarewellOver()) {
                return false;
            }
            leave();
        }
        if (endpoint.isInUse()) {
            return false; // a thread is posting or registering, and still uses the queue pair or the domain
        }
        // A dead loop counts no completions down. There, destroying the queue pair ends its requests.
        boolean drained = loop.failure() != null
                || endpoint.inFlight() == 0 && endpoint.receives().isDrained();
        if (!drained && now() - drainDeadline < 0) {
            return false;
        }
        endpoint.release().forEach(endpoint::attempt); // so that every waiting operation ends
        loop.leave(endpoint);
        record();
        closed.complete(null);
        return true;
    }

    private void record() {
        End reason = end;
        if (reason == null || !FlightRecorder.isInitialized()) {
            return;
        }
        ConnectionEvent event = new ConnectionEvent();
        if (event.shouldCommit()) {
            event.queuePair = queuePair.number();
            event.open = now() - opened;
            event.end = reason.message();
            event.lostMessages = endpoint.lostMessages();
            event.lost = reason.cause() != null;
            event.commit();
        }
    }
}
