package io.rdma.internal.connect;

import io.rdma.connect.ConnectionOptions;
import io.rdma.environment.Environment;
import java.io.IOException;
import java.net.Socket;

/** Exchanges for tests, over sockets of this host. */
final class TestExchange {
    private TestExchange() {}

    /**
     * Creates an exchange over a connected socket, with a deadline that begins now.
     *
     * @param client whether this side connected
     */
    static Exchange over(Socket socket, ConnectionOptions options, boolean client) throws IOException {
        ExchangeDeadline deadline = new ExchangeDeadline(Environment.SYSTEM, socket, options.handshakeTimeout());
        return Exchange.over(socket, deadline, options, client ? "localhost" : null);
    }
}
