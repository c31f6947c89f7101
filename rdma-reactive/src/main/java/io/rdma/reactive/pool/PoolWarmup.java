package io.rdma.reactive.pool;

import java.util.ArrayList;
import java.util.List;

/**
 * Connections of one warm-up. All are held until the last one is made; otherwise one connection would serve all
 * acquires of the warm-up.
 */
final class PoolWarmup {
    private final List<PooledRdmaConnection> held = new ArrayList<>(); // guarded by this
    private boolean released; // guarded by this

    /** Holds a connection, or returns it at once if the warm-up has ended, because another connection failed. */
    void hold(PooledRdmaConnection connection) {
        synchronized (this) {
            if (!released) {
                held.add(connection);
                return;
            }
        }
        connection.release();
    }

    /** Returns all connections to the pool. */
    void release() {
        List<PooledRdmaConnection> all;
        synchronized (this) {
            released = true;
            all = List.copyOf(held);
        }
        all.forEach(PooledRdmaConnection::release);
    }
}
