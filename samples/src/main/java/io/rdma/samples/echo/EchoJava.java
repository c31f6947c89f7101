package io.rdma.samples.echo;

import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Flux;

/** The echo sample with Reactor. */
final class EchoJava {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private EchoJava() {}

    static void server(String device, String host, int port) {
        DisposableServer server = RdmaServer.create()
                .device(device)
                .host(host)
                .port(port)
                .handle(connection -> connection
                        .receive(message -> message.toByteArray())
                        .concatMap(bytes ->
                                connection.send(bytes.length, target -> target.copyFrom(MemorySegment.ofArray(bytes))))
                        .then())
                .bindNow(PATIENCE);
        System.out.println("listening on port " + server.port());
        server.onDispose().block();
    }

    static int client(String device, String host, int port, int count) {
        RdmaConnection connection =
                RdmaClient.create().device(device).host(host).port(port).connectNow(PATIENCE);
        try {
            Flux<String> replies = connection
                    .receive(message -> new String(message.toByteArray(), StandardCharsets.UTF_8))
                    .take(count);
            Flux<String> sent = Flux.range(0, count).map(i -> "message " + i);
            Flux<Boolean> same = Flux.zip(sent, replies, String::equals);
            return Objects.requireNonNull(connection
                    .send(sent, (text, target) -> {
                        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, target, 0, bytes.length);
                        return bytes.length;
                    })
                    .thenMany(Flux.<Boolean>empty())
                    .mergeWith(same)
                    .filter(equal -> equal)
                    .count()
                    .map(Long::intValue)
                    .block(PATIENCE));
        } finally {
            connection.disposeNow(PATIENCE);
        }
    }
}
