package io.rdma.samples.simulation.world;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.structures.RdmaCounters;
import io.rdma.reactive.structures.RdmaLocks;
import io.rdma.reactive.structures.RdmaRecords;
import io.rdma.reactive.structures.RdmaRing;
import io.rdma.reactive.structures.RdmaTable;
import io.rdma.structures.CounterMemory;
import io.rdma.structures.LockMemory;
import io.rdma.structures.RecordMemory;
import io.rdma.structures.RingMemory;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.StructureMemory;
import io.rdma.structures.TableMemory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Structures at the server of a run. At the end, when all clients are gone, the host itself looks at them. */
final class StructureHost implements AutoCloseable {
    /** Entries that the first receiver of a ring takes. */
    private static final int FIRST = 2;

    private final RdmaResources resources;
    private final StructurePlan plan;
    private final Host host;
    private final boolean ownDomains;
    private final Verdict verdict;
    private final StructureModels models;
    private final Map<StructureKind, StructureMemory> memories = new EnumMap<>(StructureKind.class);
    private final List<RingMemory> rings = new ArrayList<>();
    private final List<Call<Void>> receptions = new ArrayList<>();

    /** Ends when the second receiver of each ring has begun, which is later than the end of the first one. */
    private final List<CompletableFuture<Void>> successions = new ArrayList<>();

    /**
     * Allocates the structures.
     *
     * @param terms of the server
     */
    StructureHost(RdmaResources resources, StructurePlan plan, Terms terms, Host host, Verdict verdict) {
        this.resources = resources;
        this.plan = plan;
        this.host = host;
        this.verdict = verdict;
        ownDomains = terms.queues().ownDomain();
        models = new StructureModels(plan, this::wrong);
        try {
            Stream.of(StructureKind.values())
                    .filter(kind -> kind != StructureKind.RING && plan.has(kind))
                    .forEach(kind -> memories.put(kind, allocate(kind)));
        } catch (Throwable e) { // such as a call of the seam that fails
            close();
            throw e;
        }
    }

    private void wrong(String what) {
        verdict.check(false, what);
    }

    private StructureMemory allocate(StructureKind kind) {
        return switch (kind) {
            case RECORDS -> RdmaRecords.allocate(resources, plan.records());
            case TABLE -> RdmaTable.allocate(resources, plan.table());
            case COUNTERS -> RdmaCounters.allocate(resources, plan.count());
            case LOCKS -> RdmaLocks.allocate(resources, plan.count(), plan.lease());
            case RING -> RdmaRing.allocate(resources, plan.ringBytes());
        };
    }

    /**
     * Admits a session to all structures, and to a ring of its own, which the server receives from then on. Returns
     * null if there are none.
     */
    @Nullable
    StructureAdmission admit(Session session, Link link) {
        Map<StructureKind, StructureLocation> locations = new EnumMap<>(StructureKind.class);
        RingModel model = models.ring("ring of " + session);
        memories.forEach((kind, memory) -> admit(kind, memory, link, locations));
        if (plan.has(StructureKind.RING)) {
            try {
                RingMemory ring = (RingMemory) allocate(StructureKind.RING);
                rings.add(ring);
                admit(StructureKind.RING, ring, link, locations);
                if (locations.containsKey(StructureKind.RING)) {
                    receive(session, link, ring, model);
                }
            } catch (RuntimeException | Error e) {
                verdict.failure("ring of " + session, host, e);
            }
        }
        return locations.isEmpty() ? null : new StructureAdmission(locations, model, models);
    }

    private void admit(
            StructureKind kind, StructureMemory memory, Link link, Map<StructureKind, StructureLocation> to) {
        try {
            to.put(kind, memory.admit(link.endpoint()));
            verdict.check(!ownDomains, kind + ": admitted a connection with another protection domain");
        } catch (IllegalArgumentException e) {
            verdict.check(ownDomains, kind + ": not admitted: " + e.getMessage());
        }
    }

    /** Receives by two receivers, one after the other: the second one gets what the first one has left. */
    private void receive(Session session, Link link, RingMemory ring, RingModel model) {
        String name = "ring of " + session;
        Call<Void> first = link.receive(name + " first", ring, FIRST, model::received);
        receptions.add(first);
        successions.add(first.end().thenRun(() -> {
            Call<Void> rest = link.receive(name + " rest", ring, Long.MAX_VALUE, model::received);
            receptions.add(rest);
            rest.end().thenRun(model::ended);
        }));
    }

    /** Checks what is there when all connections have ended. Nothing that a client has left may block the host. */
    void check() {
        if (host.hasRefused()) { // what the device refuses to destroy may write for ever
            return;
        }
        if (memories.get(StructureKind.RECORDS) instanceof RecordMemory records) {
            for (int i = 0; i < plan.count(); i++) {
                VersionModel model = models.records().get(i);
                VersionModel.Begin get = model.begins();
                ended("get of record " + i, records.get(i), value -> model.got(get, value));
                int number = models.nextNumber();
                VersionModel.Change put = model.putBegins(number, plan.capacity(), null);
                ended(
                        "put of record " + i,
                        records.put(i, StructureValue.of(number, plan.capacity())),
                        version -> model.put(put, version));
            }
        }
        if (memories.get(StructureKind.TABLE) instanceof TableMemory table) {
            for (int i = 0; i < StructurePlan.KEYS; i++) {
                VersionModel model = models.keys().get(i);
                VersionModel.Begin get = model.begins();
                ended("get of key " + i, table.get(StructureModels.key(i)), value -> model.got(get, value));
                VersionModel.Change removal = model.removalBegins(null);
                ended("removal of key " + i, table.remove(StructureModels.key(i)), was -> model.removed(removal, was));
            }
        }
        for (int i = 0; i < plan.count(); i++) {
            if (memories.get(StructureKind.COUNTERS) instanceof CounterMemory counters) {
                models.counters().get(i).is(counters.get(i));
            }
            if (memories.get(StructureKind.LOCKS) instanceof LockMemory locks) {
                models.locks().get(i).is(locks.token(i));
            }
        }
    }

    private <T extends @Nullable Object> void ended(String what, CompletableFuture<T> end, Consumer<T> then) {
        try {
            then.accept(end.get(World.PATIENCE.toNanos(), TimeUnit.NANOSECONDS));
        } catch (Exception e) {
            verdict.unexpected("the host's " + what, e.getCause() == null ? e : e.getCause());
        }
    }

    /** Frees the structures. Their connections have ended. */
    @Override
    public void close() {
        List.copyOf(receptions).forEach(this::finish);
        successions.forEach(succession ->
                ended("next receiver of a ring", succession.exceptionally(failure -> null), nothing -> {}));
        receptions.forEach(this::finish);
        Stream.concat(memories.values().stream(), rings.stream()).forEach(this::close);
    }

    private void finish(Call<Void> reception) {
        if (host.hasRefused()) {
            reception.cancel();
        } else {
            verdict.endsWithin(World.PATIENCE, reception);
        }
    }

    private void close(StructureMemory memory) {
        try {
            memory.close();
        } catch (RuntimeException | Error e) {
            verdict.failure("server structures", host, e);
        }
    }
}
