package io.rdma.spring.boot;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.rsocket.RdmaCloseableServer;
import io.rdma.reactive.rsocket.RdmaServerTransport;
import io.rsocket.core.RSocketServer;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * Life cycle of RSocket's server, which runs from the start of the context to its stop. A stop closes the connections
 * at once, because RSocket connections last as long as their clients want.
 */
public final class RdmaRSocketServerLifecycle extends RdmaContextServer<RdmaCloseableServer> {
    private final RSocketServer rsocket;
    private final RdmaServerTransport transport;
    private final boolean secured;

    /**
     * Creates a server that does not run yet.
     *
     * @param rsocket answers the requests
     * @param transport where it listens
     * @param resources open device that it uses
     * @param options options of its connections
     * @param secured whether Spring Security authenticates clients by RSocket's frames
     */
    RdmaRSocketServerLifecycle(
            RSocketServer rsocket,
            RdmaServerTransport transport,
            RdmaResources resources,
            ConnectionOptions options,
            boolean secured) {
        super("rdma.rsocket", RdmaCloseableServer::address, resources, () -> options);
        this.rsocket = rsocket;
        this.transport = transport;
        this.secured = secured;
    }

    @Override
    protected boolean isAuthenticated() {
        return secured || super.isAuthenticated();
    }

    @Override
    protected RdmaCloseableServer bind() {
        return Objects.requireNonNull(rsocket.bind(transport).block(START_TIMEOUT));
    }

    @Override
    protected Mono<Void> close(RdmaCloseableServer server) {
        server.dispose();
        return server.onClose();
    }
}
