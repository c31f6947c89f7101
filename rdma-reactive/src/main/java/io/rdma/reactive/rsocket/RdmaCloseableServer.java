package io.rdma.reactive.rsocket;

import io.rdma.reactive.DisposableServer;
import io.rsocket.Closeable;
import java.net.InetSocketAddress;
import reactor.core.publisher.Mono;

/** Handle of a server that listens for RSocket's connections. */
public final class RdmaCloseableServer implements Closeable {
    private final DisposableServer server;

    RdmaCloseableServer(DisposableServer server) {
        this.server = server;
    }

    /**
     * Returns the address that the server listens on.
     *
     * @return address with the actual port
     */
    public InetSocketAddress address() {
        return server.address();
    }

    /** Stops listening and closes the server's connections. Does not wait. */
    @Override
    public void dispose() {
        server.dispose();
    }

    @Override
    public boolean isDisposed() {
        return server.isDisposed();
    }

    /**
     * Completes when the server and its connections are closed.
     *
     * @return completes empty
     */
    @Override
    public Mono<Void> onClose() {
        return server.onDispose();
    }
}
