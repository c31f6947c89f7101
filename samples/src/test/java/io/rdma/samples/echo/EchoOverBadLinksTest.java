package io.rdma.samples.echo;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.soft.FaultyLinks;
import io.rdma.soft.LinkFaults;
import io.rdma.soft.SoftNetwork;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A service over faulty links. An annotation sets the faults, or a test does by its {@link SoftNetwork} parameter. */
@FaultyLinks(loss = 0.02, duplication = 0.02, reordering = 0.02, corruption = 0.01, seed = 7)
class EchoOverBadLinksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private DisposableServer server;
    private RdmaConnection connection;

    @BeforeEach
    void connect() {
        server = RdmaServer.create()
                .device("soft0")
                .host("127.0.0.1")
                .port(0)
                .handle(peer -> peer.receive(message -> message.toByteArray())
                        .concatMap(bytes -> send(peer, bytes))
                        .then())
                .bindNow(PATIENCE);
        connection = client().connectNow(PATIENCE);
    }

    private RdmaClient client() {
        return RdmaClient.create().device("soft0").host("127.0.0.1").port(server.port());
    }

    @AfterEach
    void close() {
        connection.disposeNow(PATIENCE);
        server.disposeNow(PATIENCE);
    }

    private static Mono<Void> send(RdmaConnection to, byte[] bytes) {
        return to.send(bytes.length, target -> target.copyFrom(MemorySegment.ofArray(bytes)));
    }

    private List<String> echoed(int count) {
        Mono<List<String>> answers = connection
                .receive(message -> new String(message.toByteArray()))
                .take(count)
                .collectList();
        Mono<Void> questions = Flux.range(0, count)
                .concatMap(i -> send(connection, ("message " + i).getBytes()))
                .then();
        return answers.zipWith(questions.thenReturn(true)).block(PATIENCE).getT1();
    }

    private static List<String> expected(int count) {
        return IntStream.range(0, count).mapToObj(i -> "message " + i).toList();
    }

    @Test
    void everyAnswerComesOnceAndInOrder(SoftNetwork network) {
        assertThat(echoed(1000)).isEqualTo(expected(1000));
        assertThat(network.counters().get("completer_retry_err"))
                .as("something was lost and sent again")
                .isPositive();
    }

    @Test
    void slowLinksAreSlow(SoftNetwork network) {
        network.setFaults(LinkFaults.NONE.withDelay(Duration.ofMillis(20)));
        long start = System.nanoTime();
        assertThat(echoed(1)).isEqualTo(expected(1));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(40)); // there and back
    }

    /** A message that is sent during the partition arrives after it, because the connection is reliable. */
    @Test
    void aShortPartitionIsSurvived(SoftNetwork network) {
        // The device retransmits after a second, and gives up after eight. That is longer than this test takes.
        RdmaConnection patient =
                client().options(options -> options.withTimeout(18)).connectNow(PATIENCE);
        network.partition();
        Mono<String> answer = patient.receive(message -> new String(message.toByteArray()))
                .next()
                .cache();
        answer.subscribe();
        send(patient, "hello".getBytes()).subscribe();
        assertThat(answer.timeout(Duration.ofMillis(50), Mono.just("nothing")).block(PATIENCE))
                .isEqualTo("nothing");
        network.heal();
        assertThat(answer.block(PATIENCE)).isEqualTo("hello");
        patient.disposeNow(PATIENCE);
    }
}
