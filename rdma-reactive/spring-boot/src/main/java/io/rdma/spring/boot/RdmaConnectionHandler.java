package io.rdma.spring.boot;

import io.rdma.reactive.RdmaConnection;
import org.reactivestreams.Publisher;

/**
 * Handler of connections, as a bean. If the context has such a bean, a server listens at {@code rdma.server.*} from the
 * start of the context to its stop.
 */
@FunctionalInterface
public interface RdmaConnectionHandler {
    /**
     * Serves a connection, which is closed when the publisher ends.
     *
     * @param connection open connection
     * @return ends when the connection is served; an error ends this connection only
     */
    Publisher<Void> handle(RdmaConnection connection);
}
