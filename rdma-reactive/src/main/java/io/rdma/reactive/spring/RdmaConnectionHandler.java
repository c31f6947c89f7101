package io.rdma.reactive.spring;

import io.rdma.reactive.RdmaConnection;
import org.reactivestreams.Publisher;

/**
 * A bean that serves connections: with one in the context a server listens at {@code rdma.server.*} from start to stop.
 */
@FunctionalInterface
public interface RdmaConnectionHandler {
    /**
     * Serves a connection, which is closed when the publisher ends.
     *
     * @param connection open
     * @return ends when the connection is served; an error ends this connection only
     */
    Publisher<Void> handle(RdmaConnection connection);
}
