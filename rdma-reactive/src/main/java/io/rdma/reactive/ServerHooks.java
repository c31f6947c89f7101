package io.rdma.reactive;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hooks of a server. Immutable.
 *
 * @param bound runs when the server listens
 * @param unbound runs when the server is closed
 * @param connection runs for each connection
 */
record ServerHooks(
        @Nullable Consumer<DisposableServer> bound,
        @Nullable Consumer<DisposableServer> unbound,
        @Nullable Consumer<RdmaConnection> connection) {
    static final ServerHooks NONE = new ServerHooks(null, null, null);

    ServerHooks withBound(Consumer<? super DisposableServer> hook) {
        return new ServerHooks(ConnectionHooks.then(bound, hook), unbound, connection);
    }

    ServerHooks withUnbound(Consumer<? super DisposableServer> hook) {
        return new ServerHooks(bound, ConnectionHooks.then(unbound, hook), connection);
    }

    ServerHooks withConnection(Consumer<? super RdmaConnection> hook) {
        return new ServerHooks(bound, unbound, ConnectionHooks.then(connection, hook));
    }

    /** Runs the hooks of a new server, and prepares those of its end. If one throws, the server is closed. */
    void bound(DisposableServer server) {
        if (unbound != null) {
            EndHooks.after(server.onDispose(), unbound, server);
        }
        if (bound == null) {
            return;
        }
        try {
            bound.accept(server);
        } catch (Throwable e) { // application code
            server.dispose();
            throw e;
        }
    }

    /** Runs the hooks of a new connection. */
    void connection(RdmaConnection accepted) {
        if (connection != null) {
            connection.accept(accepted);
        }
    }
}
