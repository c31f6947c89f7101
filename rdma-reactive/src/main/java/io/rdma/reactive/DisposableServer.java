package io.rdma.reactive;

import java.net.InetSocketAddress;
import java.time.Duration;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A server that listens. */
public interface DisposableServer extends Disposable {
    /**
     * Where it listens.
     *
     * @return with the real port
     */
    InetSocketAddress address();

    /**
     * Host of {@link #address}.
     *
     * @return textual address
     */
    default String host() {
        return address().getHostString();
    }

    /**
     * Port of {@link #address}.
     *
     * @return never 0
     */
    default int port() {
        return address().getPort();
    }

    /** Stops listening and closes its connections. Does not wait. */
    @Override
    void dispose();

    /**
     * Completes when the server, its connections and its resources are closed.
     *
     * @return completes empty
     */
    Mono<Void> onDispose();

    /**
     * Closes and waits; not to be called on the loop.
     *
     * @param timeout for the wait
     * @throws IllegalStateException if time is up
     */
    default void disposeNow(Duration timeout) {
        dispose();
        onDispose().block(timeout);
    }
}
