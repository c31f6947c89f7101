package io.rdma.reactive;

import java.net.InetSocketAddress;
import reactor.core.publisher.Mono;

/** Handle of a listening {@link RdmaServer} or {@link RdmaXrcServer}. */
public interface DisposableServer extends RdmaDisposable {
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
     * @return completes empty, or with the error that {@link #dispose} throws if no thread can be started for the rest
     */
    @Override
    Mono<Void> onDispose();
}
