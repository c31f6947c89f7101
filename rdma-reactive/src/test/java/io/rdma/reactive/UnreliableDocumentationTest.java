package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.ConnectionOptions;
import io.rdma.verbs.QueuePairType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Snippet of unreliable connections in docs/guide/connecting.md. */
@Timeout(180)
class UnreliableDocumentationTest {
    private final List<String> shown = new CopyOnWriteArrayList<>();

    private void show(String position, long lost) {
        shown.add(position + ", " + lost + " lost");
    }

    @Test
    void aServerShowsPositionsAndTheNumberOfThoseThatAreLost() {
        UnaryOperator<ConnectionOptions> unreliable = o -> o.withQueuePairType(QueuePairType.UC); // on both sides
        RdmaServer server = RdmaServer.create()
                .options(unreliable)
                .handle(vehicle -> vehicle.receive()
                        .asString()
                        .doOnNext(position -> show(position, vehicle.endpoint().lostMessages()))
                        .then());
        RdmaClient client = RdmaClient.create().options(unreliable);

        DisposableServer bound = server.device("soft0").host("127.0.0.1").bindNow();
        RdmaConnection connection =
                client.device("soft0").host("127.0.0.1").port(bound.port()).connectNow();
        Flux<String> positions = Flux.just("47.37 N", "47.38 N");
        Mono<Void> sent = connection.sendString(positions); // completes when they have left
        sent.block(Duration.ofMinutes(1));
        await().atMost(Duration.ofMinutes(1)).until(() -> shown.size() == 2);
        assertThat(shown).containsExactly("47.37 N, 0 lost", "47.38 N, 0 lost");
        connection.disposeNow();
        bound.disposeNow();
    }
}
