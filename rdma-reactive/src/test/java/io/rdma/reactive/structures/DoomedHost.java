package io.rdma.reactive.structures;

import static io.rdma.reactive.structures.StructuresFixture.PATIENCE;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.structures.CounterMemory;
import io.rdma.structures.LockMemory;
import io.rdma.structures.RecordMemory;
import io.rdma.structures.RecordOptions;
import io.rdma.structures.RingMemory;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.StructureMemory;
import io.rdma.structures.TableMemory;
import io.rdma.structures.TableOptions;
import io.rdma.testing.TestDevice;
import io.rdma.testing.structures.DoomedOperation;
import io.rdma.testing.structures.Moment;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Host of structures that processes use until one of them dies. The first connection is that of the {@link Observer},
 * the others are those of the participants, in the order of their moments.
 */
final class DoomedHost {
    /** Time for which a lock stays locked behind the death of its holder. */
    static final Duration LEASE = Duration.ofMillis(300);

    /** A lease that no test outlasts: claims of the dead are recovered because their connections have ended. */
    private static final Duration LONG = Duration.ofHours(1);

    final RdmaResources resources;
    final CounterMemory counters;
    final RecordMemory records;
    final TableMemory table;
    final LockMemory locks;
    final Map<Moment, RingMemory> rings = new HashMap<>();
    final DisposableServer server;
    private final AtomicInteger connections = new AtomicInteger();

    DoomedHost(RdmaResources resources) {
        this.resources = resources;
        counters = RdmaCounters.allocate(resources, moments(DoomedOperation.COUNTER_ADD));
        records = RdmaRecords.allocate(
                resources,
                RecordOptions.of(moments(DoomedOperation.RECORD_PUT), Observer.CAPACITY)
                        .withLease(LONG));
        table = RdmaTable.allocate(
                resources, TableOptions.of(Observer.BUCKETS, Observer.CAPACITY).withLease(LONG));
        locks = RdmaLocks.allocate(resources, Observer.LOCKS, LEASE);
        for (Moment moment : Moment.of(DoomedOperation.RING_SEND, DoomedOperation.RING_SEND_AT_END)) {
            rings.put(moment, RdmaRing.allocate(resources, 64));
        }
        server = StructuresFixture.server(resources).handle(this::serve).bindNow(PATIENCE);
    }

    private static int moments(DoomedOperation... operations) {
        return Moment.of(operations).size();
    }

    /** Runs a host that prints {@code listening}, a blank and its port. Arguments: device. */
    public static void main(String[] args) throws InterruptedException {
        DoomedHost host = new DoomedHost(RdmaResources.open(TestDevice.assumed(args[0])));
        System.out.println("listening " + host.server.port());
        new CountDownLatch(1).await();
    }

    private Mono<Void> serve(RdmaConnection connection) {
        int number = connections.getAndIncrement();
        Mono<Void> served = number == 0
                ? Flux.concat(Stream.of(counters, records, table, locks)
                                .map(memory -> sent(connection, admitted(connection, memory)))
                                .toList())
                        .then()
                : served(connection, Moment.all().get(number - 1));
        return served.then(connection.onDispose());
    }

    private Mono<Void> served(RdmaConnection connection, Moment moment) {
        StructureLocation location = admitted(connection, memory(moment));
        Mono<Void> sent = sent(connection, location);
        if (moment.operation() != DoomedOperation.RING_SEND_AT_END) {
            return sent;
        }
        // The second message says that there is room now.
        return sent.thenMany(RdmaRing.receive(rings.get(moment)).take(Observer.FILLING.size()))
                .then(sent(connection, location));
    }

    private static StructureLocation admitted(RdmaConnection connection, StructureMemory memory) {
        return memory.admit(connection.endpoint());
    }

    private static Mono<Void> sent(RdmaConnection connection, StructureLocation location) {
        return connection.send(StructureLocation.ENCODED_BYTES, location::encode);
    }

    private StructureMemory memory(Moment moment) {
        return switch (moment.operation()) {
            case COUNTER_ADD -> counters;
            case RECORD_PUT -> records;
            case TABLE_PUT, TABLE_REMOVE -> table;
            case LOCK_ACQUIRE, LOCK_RENEW, LOCK_RELEASE -> locks;
            case RING_SEND, RING_SEND_AT_END -> rings.get(moment);
        };
    }

    /** Ends the host, which its clients have left. */
    void close() {
        server.disposeNow(PATIENCE);
        List.of(counters, records, table, locks).forEach(StructureMemory::close);
        rings.values().forEach(StructureMemory::close);
    }
}
