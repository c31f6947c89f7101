package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.call.RdmaCallException;
import io.rdma.reactive.call.RdmaCallClient;
import io.rdma.reactive.call.RdmaCallServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** Snippets of docs/guide/calls.md. */
@Timeout(180)
class CallsDocumentationTest {
    private static final MessageCodec<String> TEXT = MessageCodec.utf8();

    private static RdmaCallServer server() {
        RdmaCallServer calls = RdmaCallServer.builder()
                .handle(
                        "greet",
                        TEXT,
                        TEXT,
                        name -> name.isEmpty()
                                ? Mono.error(RdmaCallException.of("greet.noName", "a name is needed"))
                                : Mono.just("hello, " + name))
                .build();
        return calls;
    }

    private static Mono<String> greeted(RdmaConnection connection, String name) {
        RdmaCallClient client = RdmaCallClient.create(connection); // one for each connection
        Mono<String> greeting = client.call("greet", name, TEXT, TEXT, Duration.ofMinutes(1))
                .onErrorResume(
                        RdmaCallException.class,
                        e -> e.type().equals("greet.noName") ? Mono.just("who?") : Mono.error(e));
        return Mono.using(() -> client, used -> greeting, RdmaCallClient::dispose); // disposed before the block returns
    }

    @Test
    void aServerAnswersAndReportsAnErrorWithAType() {
        RdmaCallServer calls = server();
        DisposableServer server = RdmaServer.create()
                .device("soft0")
                .host("127.0.0.1")
                .port(0)
                .handle(calls::serve)
                .bindNow();
        RdmaConnection connection = RdmaClient.create()
                .device("soft0")
                .host("127.0.0.1")
                .port(server.port())
                .connectNow();
        assertThat(greeted(connection, "Ada").block(Duration.ofMinutes(1))).isEqualTo("hello, Ada");
        assertThat(greeted(connection, "").block(Duration.ofMinutes(1))).isEqualTo("who?");
        connection.disposeNow();
        assertThat(calls.stop(Duration.ofMinutes(1)).block(Duration.ofMinutes(1)))
                .isTrue();
        server.disposeNow();
    }
}
