package io.rdma.samples;

import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import java.time.Duration;

/** Java code of README.md, to be compiled. {@link ReadmeTest} compares it with the page. */
final class ReadmeJava {
    private ReadmeJava() {}

    static void run() {
        // README begin
        DisposableServer server = RdmaServer.create()
                .host("0.0.0.0")
                .port(7471)
                .handle(connection -> connection
                        .receive(message -> message.toByteArray())
                        .concatMap(bytes -> connection.send(
                                bytes.length, buffer -> buffer.asByteBuffer().put(bytes)))
                        .then())
                .bindNow(Duration.ofSeconds(30));

        RdmaConnection connection =
                RdmaClient.create().host("localhost").port(7471).connectNow(Duration.ofSeconds(30));
        String answer = connection
                .send(6, buffer -> buffer.setString(0, "hello")) // five letters and a zero
                .then(connection
                        .receive(message -> message.segment().getString(0))
                        .next())
                .block();
        System.out.println(answer);
        connection.disposeNow(Duration.ofSeconds(30));
        // README end
        server.disposeNow(Duration.ofSeconds(30));
    }
}
