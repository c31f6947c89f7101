package io.rdma.samples.cache;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.structures.RdmaCounters;
import io.rdma.reactive.structures.RdmaTable;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.VersionedValue;
import io.rdma.types.RdmaException;
import java.time.Duration;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * The operations by RDMA, in which the processor of the memory process takes no part. They share one connection, which
 * is made when it is first needed, and again after it was lost.
 */
@Component(Cache.RDMA)
final class CacheClient implements Cache {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private record Memory(RdmaConnection connection, RdmaTable table, RdmaCounters counters) {}

    private final Mono<Memory> memory;

    CacheClient(RdmaClient client) {
        memory = client.connect()
                .flatMap(CacheClient::opened)
                .cacheInvalidateWhen(open -> open.connection().onDispose());
    }

    private static Mono<Memory> opened(RdmaConnection connection) {
        Mono<StructureLocation> location = connection
                .receive(message -> StructureLocation.decode(message.segment()))
                .next()
                .single();
        return location.flatMap(ofTable -> RdmaTable.open(connection, ofTable))
                .zipWhen(
                        table -> location.flatMap(ofCounters -> RdmaCounters.open(connection, ofCounters)),
                        (table, counters) -> new Memory(connection, table, counters))
                .timeout(PATIENCE)
                .onErrorMap(
                        e -> !(e instanceof RdmaException),
                        e -> new Unreachable("no memory process answers over RDMA", e))
                .doOnError(error -> connection.dispose())
                .doOnCancel(connection::dispose);
    }

    @Override
    public Mono<VersionedValue> get(byte[] key) {
        return memory.flatMap(open -> open.table().get(key));
    }

    @Override
    public Mono<Long> put(byte[] key, byte[] value, long expected) {
        return memory.map(Memory::table)
                .flatMap(table -> expected == ANY ? table.put(key, value) : table.put(key, value, expected));
    }

    @Override
    public Mono<Boolean> remove(byte[] key, long expected) {
        return memory.map(Memory::table)
                .flatMap(table -> expected == ANY ? table.remove(key) : table.remove(key, expected));
    }

    @Override
    public Mono<Long> add(int counter, long addend) {
        return memory.flatMap(open -> open.counters().add(counter, addend));
    }
}
