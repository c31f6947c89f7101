package io.rdma.internal.connect;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.engine.Endpoint;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - A thread that holds all permits of `handshakes` knows that no exchange is in progress.
// - `ofAddress` has the number of permits of each address that holds some, and no entry for other addresses.
// - A connection is in `connections` from before its exchange ends until it is closed, whether or not the handler has
//   received it yet.

/** Admission of clients to one server: its limits, and its connections of all connect methods. Any thread. */
final class Admission {
    private final AdmissionLimits limits;
    private final Semaphore handshakes;
    private final ConcurrentHashMap<Object, Integer> ofAddress = new ConcurrentHashMap<>();
    private final AtomicInteger admitted = new AtomicInteger(); // connections that are open or being made
    private final Set<Endpoint> connections = ConcurrentHashMap.newKeySet();

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
         * Moves the permit to a new object. Closing this one then does nothing.
         *
         * @return null if this permit was closed before
         */
        synchronized @Nullable Permit handOver() {
            if (!held) {
                return null;
            }
            held = false;
            return new Permit(holder);
        }

        /** Releases the permit, as the exchange is over. */
        @Override
        public synchronized void close() {
            if (held) {
                held = false;
                ofAddress.computeIfPresent(holder, (who, count) -> count == 1 ? null : count - 1);
                handshakes.release();
            }
        }
    }

    /** Place of a connection that is being made. If it is closed before it is kept, no endpoint remains. */
    final class Place implements AutoCloseable {
        private @Nullable Endpoint endpoint;
        private boolean kept;

        /** Counts the established connection until it is closed. */
        void take(Endpoint established) {
            endpoint = established;
            connections.add(established);
            established.closed().thenRun(() -> gone(established));
        }

        /** Leaves the connection to the caller. */
        Endpoint keep() {
            kept = true;
            return Objects.requireNonNull(endpoint);
        }

        @Override
        public void close() {
            if (endpoint == null) {
                left();
            } else if (!kept) {
                endpoint.discard();
            }
        }
    }

    /**
     * Takes a permit for an exchange.
     *
     * @param client its address, null if it has none
     * @return a permit to be closed when the exchange is over; null if a limit is reached, of this address or in total
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

    /**
     * Returns the key under which an address is counted. For IPv6 it is the /64 prefix, all of which one subscriber
     * has. For a link-local address it is the address itself, because all hosts of a link share the prefix.
     */
    private static Object holder(@Nullable InetAddress client) {
        if (client == null) {
            return "unknown";
        }
        return client instanceof Inet6Address && !client.isLinkLocalAddress()
                ? ByteBuffer.wrap(client.getAddress(), 0, Long.BYTES).getLong()
                : client;
    }

    /** Returns the reason of a refusal by {@link #tryBegin}, for the log. */
    String tooManyHandshakes() {
        return "too many clients connect at once: AdmissionLimits allows " + limits.handshakes() + " handshakes and "
                + limits.handshakesPerAddress() + " handshakesPerAddress";
    }

    /**
     * Closes all connections, once no client is admitted any more. Waits until no exchange is in progress, closes the
     * connections that were made, and returns when they are closed.
     */
    void closeAll() {
        handshakes.acquireUninterruptibly(limits.handshakes());
        handshakes.release(limits.handshakes());
        List<Endpoint> open = List.copyOf(connections);
        CloseSteps steps = new CloseSteps();
        open.forEach(endpoint -> steps.run(endpoint::close));
        steps.report(); // a connection whose close did not begin would be awaited for ever
        CompletableFuture.allOf(open.stream().map(Endpoint::closed).toArray(CompletableFuture[]::new))
                .join();
    }

    /**
     * Counts a connection that is being made.
     *
     * @return its place, to be closed when the exchange is over
     * @throws RdmaConnectException REJECTED if the server has as many connections as it admits
     */
    Place admit() {
        Place place = new Place(); // before the change, since it may throw
        if (tryAdmit()) {
            return place;
        }
        // Others may be notified of the end of a connection before this object is.
        connections.stream().filter(one -> one.closed().isDone()).forEach(this::gone);
        if (!tryAdmit()) {
            throw new RdmaConnectException(
                    Reason.REJECTED,
                    "the server has " + limits.connections()
                            + " connections, the most that it admits: raise AdmissionLimits.withConnections",
                    null);
        }
        return place;
    }

    private boolean tryAdmit() {
        boolean room = admitted.incrementAndGet() <= limits.connections();
        if (!room) {
            admitted.decrementAndGet();
        }
        return room;
    }

    private void gone(Endpoint endpoint) {
        if (connections.remove(endpoint)) {
            left();
        }
    }

    private void left() {
        admitted.decrementAndGet();
    }
}
