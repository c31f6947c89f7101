package io.rdma.cm;

import io.rdma.cm.RdmaConnectException.Reason;
import io.rdma.engine.RdmaEndpoint;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

// Invariant: who has all handshakes knows that none is under way.

/** The limits of one server, counted over all the ways by which clients come. Any thread. */
final class Admission {
    private final AdmissionLimits limits;
    private final Semaphore handshakes;
    private final AtomicInteger open = new AtomicInteger(); // connections that were admitted and are not closed

    Admission(AdmissionLimits limits) {
        this.limits = limits;
        this.handshakes = new Semaphore(limits.handshakes());
    }

    /** @return whether there is room for one more; then {@link #end} follows */
    boolean tryBegin() {
        return handshakes.tryAcquire();
    }

    void end() {
        handshakes.release();
    }

    void awaitAll() {
        handshakes.acquireUninterruptibly(limits.handshakes());
        handshakes.release(limits.handshakes());
    }

    /**
     * Counts a connection; {@link #counted} or {@link #left} follows.
     *
     * @throws RdmaConnectException REJECTED if there are as many as the server admits
     */
    void admit() {
        int connections = open.incrementAndGet();
        if (connections > limits.connections()) {
            open.decrementAndGet();
            throw new RdmaConnectException(
                    Reason.REJECTED,
                    "the server has " + limits.connections() + " connections, which is all it admits: try again later",
                    null);
        }
    }

    /** From now on the connection counts until it is closed. */
    void counted(RdmaEndpoint endpoint) {
        endpoint.closed().thenRun(this::left);
    }

    void left() {
        open.decrementAndGet();
    }
}
