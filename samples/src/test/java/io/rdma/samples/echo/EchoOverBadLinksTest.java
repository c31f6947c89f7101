package io.rdma.samples.echo;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.soft.LinkFaults;
import io.rdma.soft.SoftNetwork;
import io.rdma.test.FaultyLinks;
import io.rdma.test.RdmaServerExtension;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A service over faulty links. An annotation sets the faults, or a test does by its {@link SoftNetwork} parameter. */
@FaultyLinks(loss = 0.02, duplication = 0.02, reordering = 0.02, corruption = 0.01, seed = 7)
class EchoOverBadLinksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    final RdmaServerExtension server = RdmaServerExtension.of(echo ->
            echo.handle(connection -> connection.sendString(connection.receive().asString())));

    private static List<String> echoed(RdmaConnection connection, int count) {
        Mono<List<String>> answers = connection.receive().asString().take(count).collectList();
        Mono<Void> questions = connection.sendString(Flux.fromIterable(messages(count)));
        return answers.zipWith(questions.thenReturn(true)).block(PATIENCE).getT1();
    }

    private static List<String> messages(int count) {
        return IntStream.range(0, count).mapToObj(i -> "message " + i).toList();
    }

    @Test
    void everyAnswerComesOnceAndInOrder(RdmaClient client, SoftNetwork network) {
        assertThat(echoed(client.connectNow(), 30_000)).isEqualTo(messages(30_000));
        assertThat(network.counters().get("completer_retry_err"))
                .as("something was lost and sent again")
                .isPositive();
    }

    @Test
    void slowLinksAreSlow(RdmaClient client, SoftNetwork network) {
        RdmaConnection connection = client.connectNow();
        network.setFaults(LinkFaults.NONE.withDelay(Duration.ofMillis(20)));
        long start = System.nanoTime();
        assertThat(echoed(connection, 1)).isEqualTo(messages(1));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(40)); // there and back
    }

    /** A message that is sent during the partition arrives after it, because the connection is reliable. */
    @Test
    void aShortPartitionIsSurvived(RdmaClient client, SoftNetwork network) {
        // The device retransmits after a second, and gives up after eight. That is longer than this test takes.
        RdmaConnection patient =
                client.options(options -> options.withTimeout(18)).connectNow();
        network.partition();
        Mono<String> answer = patient.receive().asString().next().cache();
        answer.subscribe();
        patient.send("hello").subscribe();
        assertThat(answer.timeout(Duration.ofMillis(50), Mono.just("nothing")).block(PATIENCE))
                .isEqualTo("nothing");
        network.heal();
        assertThat(answer.block(PATIENCE)).isEqualTo("hello");
    }
}
