package io.rdma.reactive;

import java.net.InetSocketAddress;
import java.time.Duration;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Handle of a listening {@link RdmaServer} or {@link RdmaXrcServer}. */
public interface DisposableServer extends Disposable {
    /**
     * Returns the address that the server listens on.
     *
     * @return address with the actual port
     */
    InetSocketAddress address();

    /**
     * Returns the host of {@link #address}.
     *
     * @return textual address
     */
    default String host() {
        return address().getHostString();
    }

    /**
     * Returns the port of {@link #address}.
     *
     * @return never 0
     */
    default int port() {
        return address().getPort();
    }

    /** Stops listening and closes the server's connections. Does not wait. */
    @Override
    void dispose();

    /**
     * Completes when the server, its connections and its resources are closed, and its port can be bound again.
     *
     * @return completes empty
     */
    Mono<Void> onDispose();

    /**
     * Closes the server and waits. Must not be called on the loop.
     *
     * @param timeout longest wait
     * @throws IllegalStateException if the timeout expires
     */
    default void disposeNow(Duration timeout) {
        dispose();
        onDispose().block(timeout);
    }

    /**
     * Closes the server and waits for at most 45 seconds, as {@link #disposeNow(Duration)} does.
     *
     * @throws IllegalStateException if the server is not closed by then
     */
    default void disposeNow() {
        disposeNow(Transport.LONGEST_WAIT);
    }
}
