package io.rdma.reactive;

import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hooks of a client. Immutable.
 *
 * @param connected runs when a connection is made
 * @param disconnected runs when a connection is closed
 */
record ConnectionHooks(
        @Nullable Consumer<RdmaConnection> connected,
        @Nullable Consumer<RdmaConnection> disconnected) {
    static final ConnectionHooks NONE = new ConnectionHooks(null, null);

    /** Returns a hook that runs an earlier one first. */
    static <T> Consumer<T> then(@Nullable Consumer<T> first, Consumer<? super T> second) {
        Objects.requireNonNull(second, "hook");
        return first == null ? second::accept : first.andThen(second);
    }

    ConnectionHooks withConnected(Consumer<? super RdmaConnection> hook) {
        return new ConnectionHooks(then(connected, hook), disconnected);
    }

    ConnectionHooks withDisconnected(Consumer<? super RdmaConnection> hook) {
        return new ConnectionHooks(connected, then(disconnected, hook));
    }

    /** Runs the hooks of a new connection, and prepares those of its end. */
    void connected(RdmaConnection connection) {
        if (disconnected != null) {
            EndHooks.after(connection.onDispose(), disconnected, connection);
        }
        if (connected != null) {
            connected.accept(connection);
        }
    }
}
