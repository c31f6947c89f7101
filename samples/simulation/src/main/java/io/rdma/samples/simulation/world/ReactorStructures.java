package io.rdma.samples.simulation.world;

import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.structures.RdmaCounters;
import io.rdma.reactive.structures.RdmaLease;
import io.rdma.reactive.structures.RdmaLocks;
import io.rdma.reactive.structures.RdmaRecords;
import io.rdma.reactive.structures.RdmaRing;
import io.rdma.reactive.structures.RdmaTable;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.VersionedValue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** Structures of the Reactor front-end. */
final class ReactorStructures implements StructureLink {
    private final RdmaConnection connection;
    private final Host host;
    private final Verdict verdict;
    private @Nullable RdmaRecords records;
    private @Nullable RdmaTable table;
    private @Nullable RdmaCounters counters;
    private @Nullable RdmaLocks locks;
    private @Nullable RdmaRing ring;

    ReactorStructures(RdmaConnection connection, Host host, Verdict verdict) {
        this.connection = connection;
        this.host = host;
        this.verdict = verdict;
    }

    private <T> Call<T> call(String name, Publisher<T> to) {
        return Recorder.one(verdict, host, name, to);
    }

    @Override
    public Call<Void> open(String name, StructureKind kind, StructureLocation location) {
        Mono<?> opening = switch (kind) {
            case RECORDS -> RdmaRecords.open(connection, location).doOnNext(opened -> records = opened);
            case TABLE -> RdmaTable.open(connection, location).doOnNext(opened -> table = opened);
            case COUNTERS -> RdmaCounters.open(connection, location).doOnNext(opened -> counters = opened);
            case LOCKS -> RdmaLocks.open(connection, location).doOnNext(opened -> locks = opened);
            case RING -> RdmaRing.open(connection, location).doOnNext(opened -> ring = opened);
        };
        return call(name, opening.then());
    }

    @Override
    public Call<VersionedValue> get(String name, int record) {
        return call(name, Objects.requireNonNull(records).get(record));
    }

    @Override
    public Call<Long> put(String name, int record, byte[] value, @Nullable Long expected) {
        RdmaRecords opened = Objects.requireNonNull(records);
        return call(name, expected == null ? opened.put(record, value) : opened.put(record, value, expected));
    }

    @Override
    public Call<VersionedValue> get(String name, byte[] key) {
        return call(name, Objects.requireNonNull(table).get(key));
    }

    @Override
    public Call<Long> put(String name, byte[] key, byte[] value, @Nullable Long expected) {
        RdmaTable opened = Objects.requireNonNull(table);
        return call(name, expected == null ? opened.put(key, value) : opened.put(key, value, expected));
    }

    @Override
    public Call<Boolean> remove(String name, byte[] key, @Nullable Long expected) {
        RdmaTable opened = Objects.requireNonNull(table);
        return call(name, expected == null ? opened.remove(key) : opened.remove(key, expected));
    }

    @Override
    public Call<Long> add(String name, int counter, long addend) {
        return call(name, Objects.requireNonNull(counters).add(counter, addend));
    }

    @Override
    public Call<StructureLease> acquire(String name, int lock, boolean waits) {
        RdmaLocks opened = Objects.requireNonNull(locks);
        return call(name, (waits ? opened.acquire(lock) : opened.tryAcquire(lock)).map(Lease::new));
    }

    @Override
    public Call<Void> send(String name, byte[] entry) {
        return call(name, Objects.requireNonNull(ring).send(entry));
    }

    private final class Lease implements StructureLease {
        private final RdmaLease lease;

        Lease(RdmaLease lease) {
            this.lease = lease;
        }

        @Override
        public long token() {
            return lease.token();
        }

        @Override
        public boolean isHeld() {
            return lease.isHeld();
        }

        @Override
        public Call<Boolean> renew(String name) {
            return call(name, lease.renew());
        }

        @Override
        public Call<Boolean> release(String name) {
            return call(name, lease.release());
        }

        @Override
        public void close() {
            lease.release().subscribe(held -> {}, lost -> {}); // the connection may have ended
        }
    }
}
