package io.rdma.reactive.structures;

import static io.rdma.reactive.structures.StructuresFixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.engine.ConnectionClosedException;
import io.rdma.reactive.structures.StructuresFixture.Client;
import io.rdma.structures.RingMemory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Contract of rings, the same on every device. */
@Timeout(180)
abstract class RingContract {
    private StructuresFixture fixture;
    private RingMemory memory;
    private Client client;
    private RdmaRing ring;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void open() {
        fixture = new StructuresFixture(device());
    }

    @AfterEach
    void nothingIsLeft() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private void connect(int capacity) throws InterruptedException {
        memory = fixture.using(RdmaRing.allocate(fixture.ofHost, capacity));
        client = fixture.connect();
        ring = RdmaRing.open(client.connection(), client.admittedTo(memory)).block(PATIENCE);
    }

    private static byte[] entry(int number) {
        return ("entry " + number + " ".repeat(number % 40)).getBytes(StandardCharsets.UTF_8);
    }

    private static int number(byte[] entry) {
        return Integer.parseInt(new String(entry, StandardCharsets.UTF_8).trim().substring("entry ".length()));
    }

    @Test
    void entriesArriveInOrderThroughARingThatIsMuchSmaller() throws InterruptedException {
        connect(256);
        assertThat(memory.maxEntry()).isEqualTo(112);
        assertThat(ring.maxEntry()).isEqualTo(112);
        int count = 500;
        CompletableFuture<Void> sent =
                Flux.range(0, count).concatMap(i -> ring.send(entry(i))).then().toFuture();
        List<Integer> received = RdmaRing.receive(memory)
                .map(RingContract::number)
                .take(count)
                .collectList()
                .block(PATIENCE);
        assertThat(received).isEqualTo(IntStream.range(0, count).boxed().toList());
        assertThat(sent).succeedsWithin(PATIENCE);
        assertThat(memory.poll()).isNull();
    }

    @Test
    void sendsAtATimeKeepTheOrderOfTheirRequests() throws InterruptedException {
        connect(512);
        int count = 200;
        CompletableFuture<Void> sent = Flux.range(0, count)
                .flatMap(i -> ring.send(entry(i)), count)
                .then()
                .toFuture();
        for (int i = 0; i < count; i++) {
            AtomicReference<byte[]> next = new AtomicReference<>();
            await().pollDelay(java.time.Duration.ZERO)
                    .pollInterval(java.time.Duration.ofMillis(1))
                    .atMost(PATIENCE)
                    .until(() -> {
                        next.set(memory.poll());
                        return next.get() != null;
                    });
            assertThat(number(next.get())).isEqualTo(i);
        }
        assertThat(sent).succeedsWithin(PATIENCE);
    }

    @Test
    void anEntryThatIsTooLongIsRefusedAndTheLongestAndTheEmptyOneArrive() throws InterruptedException {
        connect(64);
        assertThatThrownBy(() -> ring.send(new byte[17]).block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("allocate a larger ring");
        for (int length : new int[] {16, 0, 16, 16, 1}) { // at all places of the ring
            ring.send(new byte[length]).block(PATIENCE);
            assertThat(memory.poll()).hasSize(length);
        }
    }

    @Test
    void aFullRingKeepsTheProducerWaitingAndACancelTakesTheEntryBack() throws InterruptedException {
        connect(64);
        ring.send(new byte[] {1}).block(PATIENCE);
        ring.send(new byte[] {2}).block(PATIENCE); // 64 bytes
        AtomicReference<Object> signal = new AtomicReference<>();
        Disposable waiting = ring.send(new byte[] {3}).subscribe(signal::set, signal::set);
        CompletableFuture<Void> behind = ring.send(new byte[] {4}).toFuture();
        waiting.dispose();
        assertThat(behind).isNotDone();
        assertThat(memory.poll()).containsExactly(1);
        behind.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(memory.poll()).containsExactly(2);
        assertThat(memory.poll()).containsExactly(4);
        assertThat(memory.poll()).isNull();
        assertThat(signal).hasNullValue();
    }

    @Test
    void theReceiverGetsWhatItRequestsAndTheRestStays() throws InterruptedException {
        connect(512);
        for (int i = 0; i < 5; i++) {
            ring.send(entry(i)).block(PATIENCE);
        }
        StepVerifier.create(RdmaRing.receive(memory).map(RingContract::number), 2)
                .expectNext(0, 1)
                .thenCancel()
                .verify(PATIENCE);
        assertThat(number(memory.poll())).isEqualTo(2);
        Disposable receiving = RdmaRing.receive(memory).subscribe(entry -> {}); // takes 3 and 4
        await().atMost(PATIENCE).until(() -> memory.poll() == null);
        receiving.dispose();
    }

    @Test
    void theReceiverEndsBehindTheLastEntryOfAProducerThatHasGone() throws InterruptedException {
        connect(512);
        CompletableFuture<List<Integer>> received =
                RdmaRing.receive(memory).map(RingContract::number).collectList().toFuture();
        assertThat(memory.isEnded()).isFalse();
        for (int i = 0; i < 5; i++) {
            ring.send(entry(i)).block(PATIENCE);
        }
        client.connection().disposeNow(PATIENCE);
        assertThat(received.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
                .containsExactly(0, 1, 2, 3, 4);
        assertThat(memory.isEnded()).isTrue();
        assertThatThrownBy(() -> ring.send(entry(5)).block(PATIENCE)).isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void aSendThatWaitsEndsWithTheConnection() throws InterruptedException {
        connect(64);
        ring.send(new byte[16]).block(PATIENCE);
        ring.send(new byte[16]).block(PATIENCE);
        CompletableFuture<Void> waiting = ring.send(new byte[16]).toFuture();
        client.connection().disposeNow(PATIENCE);
        assertThatThrownBy(() -> waiting.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .join())
                .hasCauseInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void aRingHasOneProducer() throws InterruptedException {
        connect(64);
        assertThatThrownBy(() -> client.admittedTo(memory))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("allocate a ring for each producer");
        for (int capacity : new int[] {-16, 0, 48, 65}) {
            assertThatThrownBy(() -> RdmaRing.allocate(fixture.ofHost, capacity))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(Mono.from(RdmaRing.receive(memory).take(0)).block(PATIENCE)).isNull();
    }
}
