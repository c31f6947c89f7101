package io.rdma.reactive.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaServer;
import io.rsocket.Payload;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketClient;
import io.rsocket.core.RSocketServer;
import io.rsocket.loadbalance.LoadbalanceRSocketClient;
import io.rsocket.loadbalance.LoadbalanceTarget;
import io.rsocket.util.DefaultPayload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/** Test of RSocket's own load balancing over several RDMA servers, as docs/operate/scaling.md describes it. */
class SoftBalancingTest {
    private static final int SERVERS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<RdmaCloseableServer> servers = new ArrayList<>();
    private final Sinks.Many<List<LoadbalanceTarget>> discovered =
            Sinks.many().replay().latest();
    private RSocketClient client;

    @BeforeEach
    void start() {
        for (int i = 0; i < SERVERS; i++) {
            String name = "server " + i;
            servers.add(RSocketServer.create(SocketAcceptor.forRequestResponse(question -> {
                        question.release();
                        return Mono.just(DefaultPayload.create(name));
                    }))
                    .bind(RdmaServerTransport.create(
                            RdmaServer.create().device("soft0").host("127.0.0.1")))
                    .block(PATIENCE));
        }
        discovered.tryEmitNext(targets()).orThrow();
        client = LoadbalanceRSocketClient.builder(discovered.asFlux())
                .roundRobinLoadbalanceStrategy()
                .build();
    }

    @AfterEach
    void stop() {
        client.dispose();
        servers.forEach(RdmaCloseableServer::dispose);
    }

    private List<LoadbalanceTarget> targets() {
        return servers.stream()
                .filter(server -> !server.isDisposed())
                .map(server -> LoadbalanceTarget.from(
                        server.address().toString(),
                        RdmaClientTransport.create(RdmaClient.create()
                                .device("soft0")
                                .host("127.0.0.1")
                                .port(server.address().getPort()))))
                .toList();
    }

    /** Asks, and asks again after a failure. Only the application knows that its question may be repeated. */
    private String ask() {
        return client.requestResponse(Mono.fromSupplier(() -> DefaultPayload.create("who?")))
                .map(SoftBalancingTest::text)
                .retryWhen(Retry.backoff(100, Duration.ofMillis(1)).maxBackoff(Duration.ofMillis(100)))
                .block(PATIENCE);
    }

    private static String text(Payload answer) {
        String text = answer.getDataUtf8();
        answer.release();
        return text;
    }

    private void expect(Set<String> all) {
        Set<String> answers = new HashSet<>();
        await().atMost(PATIENCE).until(() -> {
            answers.add(ask());
            return answers.containsAll(all);
        });
    }

    @Test
    void oneOfSeveralServersDiesAndTheOthersAnswer() {
        expect(Set.of("server 0", "server 1", "server 2"));
        servers.get(1).dispose();
        servers.get(1).onClose().block(PATIENCE);
        discovered.tryEmitNext(targets()).orThrow(); // as a discovery would report
        expect(Set.of("server 0", "server 2"));
        for (int i = 0; i < 4 * SERVERS; i++) {
            assertThat(ask()).isIn("server 0", "server 2");
        }
    }
}
