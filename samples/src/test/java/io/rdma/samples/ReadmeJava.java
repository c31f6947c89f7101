package io.rdma.samples;

import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;

/** Java code of README.md, to be compiled. {@link ReadmeTest} compares it with the page. */
final class ReadmeJava {
    private ReadmeJava() {}

    static void run() {
        // README begin
        DisposableServer server = RdmaServer.create()
                .host("0.0.0.0")
                .port(7471)
                .handle(connection -> connection.sendString(connection.receive().asString()))
                .bindNow();

        RdmaConnection connection =
                RdmaClient.create().host("localhost").port(7471).connectNow();
        connection.send("hello").block();
        System.out.println(connection.receive().asString().blockFirst());
        connection.disposeNow();
        // README end
        server.disposeNow();
    }
}
