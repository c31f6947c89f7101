package io.rdma.cm;

import io.rdma.cm.RdmaConnectException.Reason;
import io.rdma.engine.RdmaEndpoint;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

// Invariants
// - Who has all permits of `handshakes` knows that no exchange is under way.
// - A connection is in `connections` from before its exchange ends until it is closed, whoever has heard of it.

/** The limits of one server, and the connections that it has, over all the ways by which clients come. Any thread. */
final class Admission {
    private final AdmissionLimits limits;
    private final Semaphore handshakes;
    private final AtomicInteger admitted = new AtomicInteger(); // those of them that are not closed, and those to come
    private final Set<RdmaEndpoint> connections = ConcurrentHashMap.newKeySet();

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

    /** Nobody is admitted any more: waits until no exchange is under way, closes what they made, and returns when it is closed. */
    void closeAll() {
        handshakes.acquireUninterruptibly(limits.handshakes());
        handshakes.release(limits.handshakes());
        List<RdmaEndpoint> open = List.copyOf(connections);
        open.forEach(RdmaEndpoint::close);
        CompletableFuture.allOf(open.stream().map(RdmaEndpoint::closed).toArray(CompletableFuture[]::new))
                .join();
    }

    /**
     * Counts a connection; {@link #counted} or {@link #left} follows.
     *
     * @throws RdmaConnectException REJECTED if there are as many as the server admits
     */
    void admit() {
        if (tryAdmit()) {
            return;
        }
        // Somebody else may have heard of a connection's end before this did.
        connections.stream().filter(one -> one.closed().isDone()).forEach(this::gone);
        if (!tryAdmit()) {
            throw new RdmaConnectException(
                    Reason.REJECTED,
                    "the server has " + limits.connections() + " connections, which is all it admits: try again later",
                    null);
        }
    }

    private boolean tryAdmit() {
        boolean room = admitted.incrementAndGet() <= limits.connections();
        if (!room) {
            admitted.decrementAndGet();
        }
        return room;
    }

    /** From now on the connection counts until it is closed. */
    void counted(RdmaEndpoint endpoint) {
        connections.add(endpoint);
        endpoint.closed().thenRun(() -> gone(endpoint));
    }

    private void gone(RdmaEndpoint endpoint) {
        if (connections.remove(endpoint)) {
            left();
        }
    }

    void left() {
        admitted.decrementAndGet();
    }
}
