package io.rdma.internal.connect;

import io.rdma.environment.Environment;
import io.rdma.internal.engine.Endpoint;
import io.rdma.types.RdmaException;
import java.io.IOException;
import java.lang.System.Logger;

/**
 * Watch on the exchange's TCP connection, which stays open while the RDMA connection lives. It notifies each side of
 * the other's end at once, even after {@code kill -9}. It runs over the first path. So a connection with an alternate
 * path does not take a broken TCP connection for the peer's end, but asks the peer along its own path.
 */
final class ConnectionWatch {
    private ConnectionWatch() {}

    static void start(Exchange exchange, Endpoint endpoint) {
        endpoint.established();
        Environment environment = endpoint.loop().environment();
        environment.start("rdma-watch-" + endpoint.qpNumber(), () -> watch(exchange, endpoint));
        endpoint.left().thenRunAsync(() -> tellPeer(exchange, endpoint), environment.executor("rdma-bye"));
    }

    private static void watch(Exchange exchange, Endpoint endpoint) {
        try {
            Exchange.End end = exchange.awaitEnd();
            RdmaException loss = end.loss();
            if (loss == null) {
                endpoint.peerClosed();
            } else if (!end.broken() || !endpoint.migration().ask(loss)) {
                endpoint.peerLost(loss);
            }
        } catch (Throwable e) { // any failure: the peer's end would no longer be noticed
            endpoint.fail(e);
        }
    }

    private static void tellPeer(Exchange exchange, Endpoint endpoint) {
        try (exchange) {
            if (endpoint.failure() == null && !endpoint.gaveMessagesUp()) {
                exchange.sendBye();
            }
        } catch (IOException e) {
            log().log(Logger.Level.DEBUG, "the peer was gone before it could be notified", e);
        }
    }

    private static Logger log() {
        return System.getLogger(ConnectionWatch.class.getName());
    }
}
