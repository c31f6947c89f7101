package io.rdma.reactive.structures;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.structures.LockMemory;
import io.rdma.structures.RingMemory;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.TableMemory;
import io.rdma.structures.TableOptions;
import io.rdma.structures.VersionedValue;
import io.rdma.verbs.RdmaDevices;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Snippets of docs/guide/structures.md. */
@Timeout(180)
class StructuresDocumentationTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static Mono<Long> work(long token) {
        return Mono.just(token);
    }

    private static byte[] next(byte[] old) {
        return new byte[] {(byte) (old[0] + 1)};
    }

    private static RdmaTable opened(RdmaConnection connection) {
        RdmaTable table = connection
                .receive(message -> StructureLocation.decode(message.segment()))
                .next()
                .flatMap(location -> RdmaTable.open(connection, location))
                .block();
        return table;
    }

    @Test
    void aClientPutsGetsAndChanges() {
        RdmaResources resources = RdmaResources.open(RdmaDevices.named("soft0"));
        TableMemory memory = RdmaTable.allocate(resources, TableOptions.of(1 << 10, 1_000));
        DisposableServer server = RdmaServer.create()
                .resources(resources)
                .host("127.0.0.1")
                .handle(connection -> {
                    StructureLocation location = memory.admit(connection.endpoint());
                    return connection
                            .send(StructureLocation.ENCODED_BYTES, location::encode)
                            .then(connection.onDispose());
                })
                .bindNow();
        RdmaConnection connection = RdmaClient.create()
                .device("soft0")
                .host("127.0.0.1")
                .port(server.port())
                .connectNow();
        RdmaTable table = opened(connection);
        byte[] key = {1, 2, 3};
        byte[] value = {4};
        Mono<Long> stored = table.put(key, value);
        Mono<VersionedValue> found = table.get(key);
        Mono<Long> changed = table.get(key)
                .flatMap(old -> table.put(key, next(old.value()), old.version())); // fails if another client was faster
        assertThat(stored.block(PATIENCE)).isOne();
        assertThat(found.block(PATIENCE)).isEqualTo(new VersionedValue(1, value));
        assertThat(changed.block(PATIENCE)).isEqualTo(2);
        assertThat(found.block(PATIENCE)).isEqualTo(new VersionedValue(2, new byte[] {5}));
        LockMemory lockMemory = RdmaLocks.allocate(resources, 1, PATIENCE);
        StructureLocation location = lockMemory.admit(resources.endpoints().getFirst());
        RdmaLocks locks = RdmaLocks.open(connection, location).block(PATIENCE);
        Mono<Long> worked = locks.withLease(0, lease -> work(lease.token()));
        assertThat(worked.block(PATIENCE)).isOne();
        RingMemory ringMemory = RdmaRing.allocate(resources, 1024);
        RdmaRing ring = RdmaRing.open(
                        connection, ringMemory.admit(resources.endpoints().getFirst()))
                .block(PATIENCE);
        Flux<byte[]> received = RdmaRing.receive(ringMemory);
        Mono<Void> sent = ring.send(value);
        sent.block(PATIENCE);
        assertThat(received.blockFirst(PATIENCE)).isEqualTo(value);
        connection.disposeNow();
        ringMemory.close();
        lockMemory.close();
        server.disposeNow();
        memory.close();
        resources.close();
    }
}
