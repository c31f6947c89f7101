package io.rdma.samples;

import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** The Java of README.md, compiled; {@link ReadmeTest} holds the two together. */
final class ReadmeJava {
    private ReadmeJava() {}

    static void run() {
        // README begin
        DisposableServer server = RdmaServer.create()
                .host("0.0.0.0")
                .port(7471)
                .receiveBuffers(512, 8192)
                .handle(connection -> connection
                        .receive(message -> message.toByteArray())
                        .concatMap(
                                bytes -> connection.send(bytes.length, to -> to.copyFrom(MemorySegment.ofArray(bytes))))
                        .then())
                .bindNow(Duration.ofSeconds(30));

        RdmaConnection connection =
                RdmaClient.create().host("localhost").port(7471).connectNow(Duration.ofSeconds(30));
        connection
                .send(5, to -> to.copyFrom(MemorySegment.ofArray("hello".getBytes())))
                .then(connection
                        .receive(message -> new String(message.toByteArray()))
                        .next())
                .doOnNext(System.out::println)
                .block();
        connection.disposeNow(Duration.ofSeconds(30));
        // README end
        server.disposeNow(Duration.ofSeconds(30));
    }
}
