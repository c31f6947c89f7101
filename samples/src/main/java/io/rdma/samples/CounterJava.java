package io.rdma.samples;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.RemoteMemory;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Ticket counter with Reactor: the server's CPU takes no part in drawing a ticket. */
final class CounterJava {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private CounterJava() {}

    static void server(String device, String host, int port) {
        DisposableServer server = RdmaServer.create()
                .device(device)
                .host(host)
                .port(port)
                .handle(connection -> connection
                        .allocate(Long.BYTES, AccessFlag.REMOTE_ATOMIC)
                        // The region ends with the connection; a buffer over it holds it until the total is read.
                        .flatMap(counter -> Mono.using(
                                () -> RegisteredBuffer.of(counter, 0, Long.BYTES),
                                total -> connection
                                        .send(RemoteMemory.ENCODED_BYTES, counter.remote()::encode)
                                        .then(connection
                                                .receive(end -> end.length())
                                                .then())
                                        .then(Mono.fromRunnable(() -> System.out.println("tickets drawn: "
                                                + total.segment().get(ValueLayout.JAVA_LONG, 0)))),
                                RegisteredBuffer::close)))
                .bindNow(PATIENCE);
        System.out.println("listening on port " + server.port());
        server.onDispose().block();
    }

    static long client(String device, String host, int port, int count) {
        RdmaConnection connection =
                RdmaClient.create().device(device).host(host).port(port).connectNow(PATIENCE);
        try {
            return Objects.requireNonNull(connection
                    .receive(message -> RemoteMemory.decode(message.segment()))
                    .next()
                    .flatMapMany(counter -> Flux.range(0, count).concatMap(i -> connection.fetchAndAdd(counter, 1)))
                    .last()
                    .block(PATIENCE));
        } finally {
            connection.disposeNow(PATIENCE);
        }
    }
}
