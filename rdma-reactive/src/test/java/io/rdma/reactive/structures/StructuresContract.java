package io.rdma.reactive.structures;

import static io.rdma.reactive.structures.StructuresFixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.rdma.reactive.structures.StructuresFixture.Client;
import io.rdma.structures.CounterMemory;
import io.rdma.structures.RecordMemory;
import io.rdma.structures.RecordOptions;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.StructureMemory;
import io.rdma.structures.TableMemory;
import io.rdma.structures.TableOptions;
import io.rdma.structures.VersionedValue;
import io.rdma.types.RemoteMemory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Contract of counters, records and tables, the same on every device. */
@Timeout(180)
abstract class StructuresContract {
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

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static VersionedValue value(long version, String text) {
        return new VersionedValue(version, bytes(text));
    }

    private static <T> T get(Mono<T> mono) {
        return mono.block(PATIENCE);
    }

    private static StructureException refused(Mono<?> mono, Reason reason) {
        return checked(catchThrowable(() -> mono.block(PATIENCE)), reason);
    }

    private static StructureException checked(Throwable error, Reason reason) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        assertThat(cause).isInstanceOf(StructureException.class);
        StructureException refusal = (StructureException) Objects.requireNonNull(cause);
        assertThat(refusal.reason()).isEqualTo(reason);
        return refusal;
    }

    private RdmaRecords records(RecordMemory memory) throws InterruptedException {
        Client client = fixture.connect();
        return get(RdmaRecords.open(client.connection(), client.admittedTo(memory)));
    }

    private RdmaTable table(TableMemory memory) throws InterruptedException {
        Client client = fixture.connect();
        return get(RdmaTable.open(client.connection(), client.admittedTo(memory)));
    }

    private RdmaCounters counters(CounterMemory memory) throws InterruptedException {
        Client client = fixture.connect();
        return get(RdmaCounters.open(client.connection(), client.admittedTo(memory)));
    }

    @Test
    void countersAddWhateverClientsAddAtATime() throws InterruptedException {
        CounterMemory memory = fixture.using(RdmaCounters.allocate(fixture.ofHost, 3));
        RdmaCounters first = counters(memory);
        RdmaCounters second = counters(memory);
        assertThat(first.count()).isEqualTo(3);
        get(Flux.range(0, 200)
                .flatMap(i -> (i % 2 == 0 ? first : second).add(1, i), 50)
                .then());
        assertThat(get(first.get(1))).isEqualTo(199 * 100);
        assertThat(get(second.add(1, -19900))).isZero();
        assertThat(get(first.get(0))).isZero();
        assertThat(get(first.add(2, Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
        assertThat(memory.get(2)).isEqualTo(Long.MAX_VALUE);
        if (fixture.hasProcessorAtomics()) {
            assertThat(memory.add(0, 5)).isEqualTo(5);
            assertThat(get(first.get(0))).isEqualTo(5);
        } else {
            checked(catchThrowable(() -> memory.add(0, 5)), Reason.NO_ATOMICS);
        }
    }

    @Test
    void anIndexThatDoesNotExistIsRefused() throws InterruptedException {
        CounterMemory memory = fixture.using(RdmaCounters.allocate(fixture.ofHost, 1));
        RdmaCounters counters = counters(memory);
        RdmaRecords records = records(fixture.using(RdmaRecords.allocate(fixture.ofHost, RecordOptions.of(1, 8))));
        for (int index : new int[] {-1, 1, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> get(counters.get(index))).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> get(records.get(index))).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> get(records.put(index, new byte[1])))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.get(index)).isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThat(get(counters.get(0))).isZero();
    }

    @Test
    void aRequestOfZeroIsAnErrorAndChangesNothing() throws InterruptedException {
        RdmaCounters counters = counters(fixture.using(RdmaCounters.allocate(fixture.ofHost, 1)));
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        counters.add(0, 1).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(0);
                subscription.request(1); // after the end
            }

            @Override
            protected void hookOnError(Throwable error) {
                failure.complete(error);
            }
        });
        assertThat(failure)
                .succeedsWithin(PATIENCE)
                .isInstanceOfSatisfying(
                        IllegalArgumentException.class, e -> assertThat(e).hasMessageContaining("3.9"));
        assertThat(get(counters.get(0))).isZero();
    }

    @Test
    void aRecordHasTheValueAndVersionOfItsLastPut() throws InterruptedException {
        RecordMemory memory = fixture.using(RdmaRecords.allocate(fixture.ofHost, RecordOptions.of(5, 100)));
        RdmaRecords first = records(memory);
        RdmaRecords second = records(memory);
        assertThat(first.count()).isEqualTo(5);
        assertThat(first.capacity()).isEqualTo(100);
        assertThat(get(first.get(3))).isNull();
        for (long version = 1; version <= 10; version++) {
            String text = "v".repeat((int) version * 10);
            assertThat(get(first.put(3, bytes(text)))).isEqualTo(version);
            assertThat(get(second.get(3))).isEqualTo(value(version, text));
        }
        assertThat(get(first.put(4, new byte[0]))).isOne();
        assertThat(get(second.get(4))).isEqualTo(value(1, ""));
        assertThat(get(second.get(2))).isNull();
        assertThatThrownBy(() -> get(first.put(0, new byte[101])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more capacity");
    }

    @Test
    void aConditionalPutHasAnEffectOnlyForTheExpectedVersion() throws InterruptedException {
        RdmaRecords records = records(fixture.using(RdmaRecords.allocate(fixture.ofHost, RecordOptions.of(1, 100))));
        assertThat(get(records.put(0, bytes("one"), 0))).isOne();
        assertThat(refused(records.put(0, bytes("none"), 0), Reason.CONFLICT).version())
                .isOne();
        assertThat(refused(records.put(0, bytes("none"), 2), Reason.CONFLICT))
                .hasMessageContaining("get the value again");
        assertThat(get(records.put(0, bytes("two"), 1))).isEqualTo(2);
        assertThat(get(records.get(0))).isEqualTo(value(2, "two"));
    }

    @Test
    void clientsThatPutAtATimeTakeTurns() throws InterruptedException {
        RecordMemory memory = fixture.using(RdmaRecords.allocate(
                fixture.ofHost, RecordOptions.of(1, 100).withLease(Duration.ofHours(1)))); // none is ever taken over
        RdmaRecords[] clients = {records(memory), records(memory), records(memory)};
        int increments = 60;
        get(Flux.range(0, increments)
                .flatMap(i -> increment(clients[i % clients.length]), 6)
                .then());
        assertThat(get(clients[0].get(0))).isEqualTo(value(increments, Integer.toString(increments)));
    }

    /** Adds 1 to the decimal number in a record. */
    private static Mono<Long> increment(RdmaRecords records) {
        return records.get(0)
                .defaultIfEmpty(value(0, "0"))
                .flatMap(old -> records.put(
                        0, bytes(Integer.toString(Integer.parseInt(new String(old.value())) + 1)), old.version()))
                .retryWhen(reactor.util.retry.Retry.indefinitely()
                        .filter(e -> e instanceof StructureException refusal && refusal.reason() == Reason.CONFLICT));
    }

    @Test
    void aTableHasWhatWasPutAndNotRemoved() throws InterruptedException {
        TableMemory memory = fixture.using(RdmaTable.allocate(fixture.ofHost, TableOptions.of(4, 1000)));
        RdmaTable first = table(memory);
        RdmaTable second = table(memory);
        get(Flux.range(0, 60)
                .flatMap(i -> (i % 2 == 0 ? first : second).put(bytes("key" + i), bytes("value" + i)), 10)
                .then());
        for (int i = 0; i < 60; i++) {
            assertThat(get(first.get(bytes("key" + i))).value()).isEqualTo(bytes("value" + i));
        }
        VersionedValue old = get(first.get(bytes("key7")));
        long version = get(second.put(bytes("key7"), bytes("other")));
        assertThat(version).isGreaterThan(old.version());
        assertThat(get(first.get(bytes("key7")))).isEqualTo(value(version, "other"));
        assertThat(get(first.remove(bytes("key7")))).isTrue();
        assertThat(get(second.remove(bytes("key7")))).isFalse();
        assertThat(get(second.get(bytes("key7")))).isNull();
        assertThat(get(second.get(bytes("key8")))).isNotNull();
    }

    @Test
    void conditionalChangesOfATableNeedTheVersionOfTheKey() throws InterruptedException {
        RdmaTable table = table(fixture.using(RdmaTable.allocate(fixture.ofHost, TableOptions.of(1, 1000))));
        long version = get(table.put(bytes("a"), bytes("1"), 0));
        get(table.put(bytes("b"), bytes("1"))); // another key of the same bucket
        assertThat(refused(table.put(bytes("a"), bytes("2"), 0), Reason.CONFLICT)
                        .version())
                .isEqualTo(version);
        assertThat(refused(table.put(bytes("c"), bytes("2"), version), Reason.CONFLICT)
                        .version())
                .isZero();
        long next = get(table.put(bytes("a"), bytes("2"), version));
        refused(table.remove(bytes("a"), version), Reason.CONFLICT);
        assertThat(get(table.remove(bytes("a"), next))).isTrue();
        refused(table.remove(bytes("a"), next), Reason.CONFLICT);
        assertThat(get(table.get(bytes("b")))).isNotNull();
    }

    @Test
    void aBucketThatIsFullRefusesOrDisplaces() throws InterruptedException {
        int room = 2 * (TableOptions.ENTRY_BYTES + 2);
        RdmaTable refusing = table(fixture.using(RdmaTable.allocate(fixture.ofHost, TableOptions.of(1, room))));
        RdmaTable displacing = table(fixture.using(
                RdmaTable.allocate(fixture.ofHost, TableOptions.of(1, room).displacingOldest())));
        for (RdmaTable table : new RdmaTable[] {refusing, displacing}) {
            get(table.put(bytes("a"), bytes("1")));
            get(table.put(bytes("b"), bytes("1")));
        }
        assertThat(refused(refusing.put(bytes("c"), bytes("1")), Reason.FULL))
                .hasMessageContaining("more or larger buckets");
        assertThat(get(refusing.get(bytes("a")))).isNotNull();
        get(displacing.put(bytes("c"), bytes("1")));
        assertThat(get(displacing.get(bytes("a")))).isNull();
        assertThat(get(displacing.get(bytes("c")))).isNotNull();
        assertThatThrownBy(() -> get(displacing.put(bytes("a"), new byte[room])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("larger buckets");
        assertThatThrownBy(() -> get(displacing.get(new byte[0]))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void memoryOfAnotherLayoutIsRefusedAndTheConnectionGoesOn() throws InterruptedException {
        CounterMemory counters = fixture.using(RdmaCounters.allocate(fixture.ofHost, 1));
        Client client = fixture.connect();
        StructureLocation location = client.admittedTo(counters);
        assertThat(refused(RdmaTable.open(client.connection(), location), Reason.OTHER_LAYOUT))
                .hasMessageContaining("it holds COUNTERS, not TABLE");
        refused(RdmaRecords.open(client.connection(), location), Reason.OTHER_LAYOUT);
        RemoteMemory memory = location.memory();
        for (RemoteMemory part : new RemoteMemory[] {
            memory.slice(0, 63), memory.slice(0, memory.length() - 1), memory.slice(8, memory.length() - 8)
        }) {
            refused(
                    RdmaCounters.open(client.connection(), new StructureLocation(part, location.writer())),
                    Reason.OTHER_LAYOUT);
        }
        assertThat(get(RdmaCounters.open(client.connection(), location)).count())
                .isOne();
    }

    @Test
    void buffersThatAreTooSmallForARecordAreRefused() throws InterruptedException {
        RecordMemory memory = fixture.using(RdmaRecords.allocate(fixture.ofHost, RecordOptions.of(1, 2000)));
        Client client = fixture.connect();
        assertThat(refused(RdmaRecords.open(client.connection(), client.admittedTo(memory)), Reason.SMALL_BUFFERS))
                .hasMessageContaining("sendBuffers(count, 6056)"); // 8 + 3 * (16 + 2000)
        Client large = fixture.connect(1, 6056);
        RdmaRecords records = get(RdmaRecords.open(large.connection(), large.admittedTo(memory)));
        get(Flux.range(0, 10).flatMap(i -> records.put(0, new byte[2000])).then()); // share the one buffer
        assertThat(get(records.get(0)).version()).isEqualTo(10);
    }

    @Test
    void damagedMemoryIsReported() throws InterruptedException {
        RecordMemory memory = fixture.using(RdmaRecords.allocate(fixture.ofHost, RecordOptions.of(1, 100)));
        Client client = fixture.connect();
        StructureLocation location = client.admittedTo(memory);
        RdmaRecords records = get(RdmaRecords.open(client.connection(), location));
        get(records.put(0, bytes("value")));
        RawRecord raw = new RawRecord(client.connection(), location.memory());
        raw.writeImages(new byte[3 * (16 + 104)]);
        assertThat(refused(records.get(0), Reason.CORRUPT)).hasMessageContaining("record 0");
        checked(catchThrowable(() -> memory.get(0).join()), Reason.CORRUPT);
        assertThat(get(records.put(0, bytes("again")))).isEqualTo(2); // needs no old value
        assertThat(get(records.get(0))).isEqualTo(value(2, "again"));
    }

    @Test
    void theHostsProcessorTakesPart() throws InterruptedException {
        RecordMemory records = fixture.using(RdmaRecords.allocate(fixture.ofHost, RecordOptions.of(1, 100)));
        TableMemory table = fixture.using(RdmaTable.allocate(fixture.ofHost, TableOptions.of(1, 100)));
        RdmaRecords ofRecords = records(records);
        RdmaTable ofTable = table(table);
        assertThat(records.get(0).join()).isNull();
        get(ofRecords.put(0, bytes("a")));
        get(ofTable.put(bytes("k"), bytes("a")));
        assertThat(records.get(0).join()).isEqualTo(value(1, "a"));
        assertThat(table.get(bytes("k")).join()).isEqualTo(value(1, "a"));
        if (!fixture.hasProcessorAtomics()) {
            checked(catchThrowable(() -> records.put(0, bytes("b")).join()), Reason.NO_ATOMICS);
            checked(catchThrowable(() -> table.put(bytes("k"), bytes("b")).join()), Reason.NO_ATOMICS);
            return;
        }
        assertThat(records.put(0, bytes("b")).join()).isEqualTo(2);
        assertThat(get(ofRecords.get(0))).isEqualTo(value(2, "b"));
        checked(catchThrowable(() -> records.put(0, bytes("c"), 1).join()), Reason.CONFLICT);
        assertThat(table.put(bytes("k"), bytes("b"), 1).join()).isEqualTo(2);
        assertThat(get(ofTable.get(bytes("k")))).isEqualTo(value(2, "b"));
        assertThat(table.remove(bytes("k")).join()).isTrue();
        assertThat(table.remove(bytes("k")).join()).isFalse();
    }

    @Test
    void aConnectionOfAnotherDomainIsNotAdmitted() throws InterruptedException {
        CounterMemory memory = fixture.using(RdmaCounters.allocate(fixture.ofHost, 1));
        Client client = fixture.connect();
        assertThatThrownBy(() -> memory.admit(client.connection().endpoint())) // the client's own end
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("give RdmaServer the resources of the structure");
    }

    @Test
    void writerNumbersEndWithTheirConnection() throws InterruptedException {
        StructureMemory memory = fixture.using(RdmaRecords.allocate(fixture.ofHost, RecordOptions.of(1, 8)));
        Client greedy = fixture.connect();
        for (int i = 2; i <= StructureLocation.MAX_WRITER; i++) {
            assertThat(greedy.admittedTo(memory).writer()).isEqualTo(i);
        }
        checked(catchThrowable(() -> greedy.admittedTo(memory)), Reason.TOO_MANY_WRITERS);
        greedy.connection().disposeNow(PATIENCE);
        Client next = fixture.connect();
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(StructureException.class)
                .until(() -> next.admittedTo(memory).writer() > 1);
    }
}
