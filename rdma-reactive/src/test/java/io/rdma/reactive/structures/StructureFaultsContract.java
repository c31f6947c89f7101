package io.rdma.reactive.structures;

import static io.rdma.reactive.structures.StructuresFixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.engine.ConnectionClosedException;
import io.rdma.reactive.structures.StructuresFixture.Client;
import io.rdma.structures.RecordMemory;
import io.rdma.structures.RecordOptions;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.TableMemory;
import io.rdma.structures.TableOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;

/**
 * Contract of structures whose clients are cancelled, die, stop, or come back late. RecordProtocolTest of rdma-native
 * does the same at every step, over a model.
 */
@Timeout(180)
abstract class StructureFaultsContract {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(100);

    private StructuresFixture fixture;

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

    private static <T> T get(Mono<T> mono) {
        return mono.block(PATIENCE);
    }

    private RecordMemory memory(Duration lease) {
        return fixture.using(
                RdmaRecords.allocate(fixture.ofHost, RecordOptions.of(1, 100).withLease(lease)));
    }

    private RdmaRecords records(RecordMemory memory) throws InterruptedException {
        Client client = fixture.connect();
        return get(RdmaRecords.open(client.connection(), client.admittedTo(memory)));
    }

    /** A client that has claimed the record and does nothing more, and the word that it has made. */
    private record Stopped(Client client, RawRecord raw, long claimed) {}

    private Stopped stopped(RecordMemory memory) throws InterruptedException {
        Client client = fixture.connect();
        StructureLocation location = client.admittedTo(memory);
        RawRecord raw = new RawRecord(client.connection(), location.memory());
        long free = raw.readWord();
        long claimed = free | location.writer();
        assertThat(raw.swap(free, claimed)).isTrue();
        return new Stopped(client, raw, claimed);
    }

    @Test
    void whatAClientHeldIsFreeWhenItsConnectionHasEnded() throws InterruptedException {
        RecordMemory memory = memory(LONG);
        RdmaRecords records = records(memory);
        get(records.put(0, new byte[] {1}));
        Stopped stopped = stopped(memory);
        stopped.client().connection().abort(new IllegalStateException("a test's"));
        assertThat(get(records.get(0)).version()).isOne(); // readers are never blocked
        assertThat(get(records.put(0, new byte[] {2}))).isEqualTo(2); // long before the lease is over
        assertThat(get(records.get(0)).value()).containsExactly(2);
    }

    @Test
    void aClientThatStopsIsTakenOverAfterTheLease() throws InterruptedException {
        RecordMemory memory = memory(SHORT);
        RdmaRecords records = records(memory);
        get(records.put(0, new byte[] {1}));
        Stopped stopped = stopped(memory);
        assertThat(get(records.put(0, new byte[] {2}))).isEqualTo(2);
        for (int i = 3; i < 9; i++) { // each image that may be used is used again
            assertThat(get(records.put(0, new byte[] {(byte) i}))).isEqualTo(i);
        }
        long next = stopped.claimed() + (1L << 27);
        assertThat(stopped.raw().swap(stopped.claimed(), next)).isFalse(); // it cannot publish
        assertThat(get(records.get(0)).version()).isEqualTo(8);
    }

    @Test
    void twoClientsThatStopAreReportedUntilOneIsDisconnected() throws InterruptedException {
        RecordMemory memory = memory(SHORT);
        RdmaRecords records = records(memory);
        get(records.put(0, new byte[] {1}));
        Stopped first = stopped(memory);
        get(records.put(0, new byte[] {2}));
        stopped(memory);
        assertThatThrownBy(() -> get(records.put(0, new byte[] {3})))
                .isInstanceOfSatisfying(
                        StructureException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BUSY))
                .hasMessageContaining("close their connections at the host");
        assertThat(get(records.get(0)).version()).isEqualTo(2);
        first.client().atHost().disposeNow(PATIENCE); // as the error asks for
        assertThat(get(records.put(0, new byte[] {3}))).isEqualTo(3);
    }

    @Test
    void aPutThatWaitsCanBeCancelled() throws InterruptedException {
        RecordMemory memory = memory(LONG);
        RdmaRecords records = records(memory);
        Stopped stopped = stopped(memory);
        AtomicReference<Object> signal = new AtomicReference<>();
        Disposable waiting = records.put(0, new byte[] {1}).subscribe(signal::set, signal::set);
        get(records.get(0)); // a round trip behind its first
        waiting.dispose();
        stopped.raw().swap(stopped.claimed(), stopped.raw().readWord() & -(1L << 10)); // gives its claim up
        assertThat(get(records.put(0, new byte[] {2}))).isOne();
        assertThat(signal).hasNullValue();
    }

    @Test
    void aCancelledPutHappensOrNotAndLeavesNothingLocked() throws InterruptedException {
        RecordMemory memory = memory(LONG);
        RdmaRecords records = records(memory);
        long before = 0;
        for (int i = 0; i < 200; i++) {
            Disposable put = records.put(0, new byte[] {(byte) i}).subscribe();
            for (int spin = 0; spin < i * 500; spin++) { // cancels at different steps
                Thread.onSpinWait();
            }
            put.dispose();
            if (i % 10 == 0) {
                long version = get(records.put(0, new byte[] {(byte) i}));
                assertThat(version).isGreaterThan(before);
                before = version;
            }
        }
        fixture.awaitRest();
        long version = get(records.get(0)).version();
        assertThat(get(records.put(0, new byte[1]))).isGreaterThan(version);
    }

    @Test
    void aCancelBeforeTheRequestDoesNothing() throws InterruptedException {
        RdmaRecords records = records(memory(LONG));
        records.put(0, new byte[1]).subscribe(new BaseSubscriber<Long>() {
            @Override
            protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
                subscription.cancel();
            }
        });
        fixture.awaitRest();
        assertThat(get(records.put(0, new byte[1]))).isOne();
    }

    @Test
    void operationsEndWithTheConnection() throws InterruptedException {
        RecordMemory memory = memory(LONG);
        Client client = fixture.connect();
        RdmaRecords records = get(RdmaRecords.open(client.connection(), client.admittedTo(memory)));
        stopped(memory);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicReference<Throwable> error = new AtomicReference<>();
        records.put(0, new byte[1]) // waits for the stopped client
                .subscribe(version -> {}, e -> {
                    error.set(e);
                    ended.countDown();
                });
        client.connection().disposeNow(PATIENCE);
        assertThat(ended.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(error.get()).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> get(records.get(0))).isInstanceOf(ConnectionClosedException.class);
        assertThatThrownBy(() -> get(records.put(0, new byte[1]))).isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void aTableRecoversLikeItsRecords() throws InterruptedException {
        TableMemory memory = fixture.using(
                RdmaTable.allocate(fixture.ofHost, TableOptions.of(1, 200).withLease(SHORT)));
        Client client = fixture.connect();
        RdmaTable table = get(RdmaTable.open(client.connection(), client.admittedTo(memory)));
        get(table.put(new byte[] {1}, new byte[] {1}));
        Client stopped = fixture.connect();
        StructureLocation location = stopped.admittedTo(memory);
        RawRecord raw = new RawRecord(stopped.connection(), location.memory());
        long free = raw.readWord();
        assertThat(raw.swap(free, free | location.writer())).isTrue();
        get(table.put(new byte[] {2}, new byte[] {2}));
        assertThat(get(table.get(new byte[] {1})).value()).containsExactly(1); // the takeover kept the other entry
        assertThat(get(table.remove(new byte[] {1}))).isTrue();
        assertThat(get(table.get(new byte[] {2})).value()).containsExactly(2);
    }
}
