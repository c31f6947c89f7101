package io.rdma.reactive.spring;

import io.rdma.reactive.rsocket.RdmaCloseableServer;
import io.rdma.reactive.rsocket.RdmaServerTransport;
import io.rsocket.core.RSocketServer;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * Runs RSocket's server from start to stop of the context. A stop closes the connections: RSocket's last for as long as
 * the clients want, so nothing is waited for.
 */
public final class RdmaRSocketServerLifecycle extends ContextServer<RdmaCloseableServer> {
    private final RSocketServer rsocket;
    private final RdmaServerTransport transport;

    RdmaRSocketServerLifecycle(RSocketServer rsocket, RdmaServerTransport transport) {
        super(RdmaCloseableServer::address);
        this.rsocket = rsocket;
        this.transport = transport;
    }

    @Override
    RdmaCloseableServer bind() {
        return Objects.requireNonNull(rsocket.bind(transport).block(START_TIMEOUT));
    }

    @Override
    Mono<Void> close(RdmaCloseableServer server) {
        server.dispose();
        return server.onClose();
    }
}
