package io.rdma.test;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaServer;

/** Clients and servers of rdma-reactive on the network of a test, which disposes what they make. */
final class ReactorFixtures {
    private static final String LOOPBACK = "127.0.0.1";

    private ReactorFixtures() {}

    static RdmaServer server(TestNetwork test) {
        return RdmaServer.create()
                .device(test.network().device())
                .host(LOOPBACK)
                .port(0)
                .doOnBound(server -> test.addServer(() -> server.disposeNow(TestNetwork.PATIENCE)));
    }

    static RdmaClient client(TestNetwork test) {
        RdmaClient client = RdmaClient.create()
                .device(test.network().device())
                .host(LOOPBACK)
                .doOnConnected(connection -> test.addConnection(() -> connection.disposeNow(TestNetwork.PATIENCE)));
        return test.port() == 0 ? client : client.port(test.port());
    }
}
