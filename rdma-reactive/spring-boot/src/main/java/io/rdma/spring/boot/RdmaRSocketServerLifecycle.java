package io.rdma.spring.boot;

import io.rdma.reactive.rsocket.RdmaCloseableServer;
import io.rdma.reactive.rsocket.RdmaServerTransport;
import io.rsocket.core.RSocketServer;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * Life cycle of RSocket's server, which runs from the start of the context to its stop. A stop closes the connections
 * at once, because RSocket connections last as long as their clients want.
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
