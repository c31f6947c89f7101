package io.rdma.connect;

import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.RdmaEndpoint;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - The thread that has all permits of `handshakes` knows that no exchange is under way.
// - `ofAddress` counts the permits of each address that has some; an address that has none is not in it.
// - A connection is in `connections` from before its exchange ends until it is closed, whoever has heard of it.

/** The limits of one server, and the connections that it has, over all the ways by which clients come. Any thread. */
final class Admission {
    private final AdmissionLimits limits;
    private final Semaphore handshakes;
    private final ConcurrentHashMap<Object, Integer> ofAddress = new ConcurrentHashMap<>();
    private final AtomicInteger admitted = new AtomicInteger(); // those of them that are not closed, and those to come
    private final Set<RdmaEndpoint> connections = ConcurrentHashMap.newKeySet();

    Admission(AdmissionLimits limits) {
        this.limits = limits;
        this.handshakes = new Semaphore(limits.handshakes());
    }

    /** Permit of one exchange. */
    final class Permit implements AutoCloseable {
        private final Object holder;
        private boolean held = true;

        private Permit(Object holder) {
            this.holder = holder;
        }

        /**
         * Makes it another one's, so that the close of this one does nothing.
         *
         * @return null if it was closed before
         */
        synchronized @Nullable Permit handOver() {
            if (!held) {
                return null;
            }
            held = false;
            return new Permit(holder);
        }

        /** The exchange is over. */
        @Override
        public synchronized void close() {
            if (held) {
                held = false;
                ofAddress.computeIfPresent(holder, (who, count) -> count == 1 ? null : count - 1);
                handshakes.release();
            }
        }
    }

    /**
     * Begins an exchange.
     *
     * @param client its address, null if it has none
     * @return to be closed when the exchange is over; null if there is no room, for this address or at all
     */
    @Nullable
    Permit tryBegin(@Nullable InetAddress client) {
        if (!handshakes.tryAcquire()) {
            return null;
        }
        Object holder = holder(client);
        if (ofAddress.merge(holder, 1, Integer::sum) <= limits.handshakesPerAddress()) {
            return new Permit(holder);
        }
        new Permit(holder).close();
        return null;
    }

    /** The holder of an address. One subscriber of an IPv6 network has a whole /64; a link's is of all its hosts. */
    private static Object holder(@Nullable InetAddress client) {
        if (client == null) {
            return "unknown";
        }
        return client instanceof Inet6Address && !client.isLinkLocalAddress()
                ? ByteBuffer.wrap(client.getAddress(), 0, Long.BYTES).getLong()
                : client;
    }

    /** Reason of a refusal by {@link #tryBegin}, for the log. */
    String tooManyHandshakes() {
        return "too many exchanges at once; RdmaServer.limits allows " + limits.handshakes() + " handshakes, "
                + limits.handshakesPerAddress() + " handshakesPerAddress";
    }

    /**
     * Nobody is admitted any more: waits until no exchange is under way, closes what they made, and returns when it is
     * closed.
     */
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
                    "the server has " + limits.connections()
                            + " connections, which is all it admits: raise RdmaServer.limits, withConnections",
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
