package io.rdma.reactive.pool;

import io.rdma.internal.connect.ServerLease;
import io.rdma.internal.engine.Endpoint;
import io.rdma.reactive.RdmaConnection;
import reactor.core.publisher.Mono;

/** Connection in a pool, with its place in the count of its server. */
final class PoolEntry {
    private final RdmaConnection connection;
    private final ServerLease lease;

    /** Whether an acquire has handed the connection out. Written by its holder, read after its return. */
    private volatile boolean used;

    PoolEntry(RdmaConnection connection, ServerLease lease) {
        this.connection = connection;
        this.lease = lease;
    }

    RdmaConnection connection() {
        return connection;
    }

    void used() {
        used = true;
    }

    /**
     * Returns whether the connection must not be used again: it has ended, its server has left the list, or a message
     * waits in it. Such a message is an answer that its user did not await, and the next user would take it for its.
     * Before the first use it may be a greeting.
     */
    boolean isUnfit() {
        return connection.isDisposed() || !lease.isListed() || used && hasMessages();
    }

    private boolean hasMessages() {
        return !Endpoint.of(connection.endpoint()).receives().isEmpty();
    }

    /** Starts the close. Nobody waits for it but the disposal of the pool. */
    Mono<Void> close() {
        return Mono.fromRunnable(connection::dispose);
    }
}
