package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.schedule.Choices;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.VersionedValue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Work of one thread on structures: one operation after the other, some of which it cancels. */
final class StructureLane {
    private static final int ONE_IN = 8; // operations that are cancelled
    private static final long LONGEST_WAIT = 100_000;
    private static final int LARGEST_ADDEND = 3;

    private final StructureWork work;
    private final StructurePlan plan;
    private final StructureLink structures;
    private final StructureModels models;
    private final String prefix;
    private final Choices choices;
    private final long[] versions; // that this thread has seen last, of each record, then of each key
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

    StructureLane(StructureWork work, String name, Choices choices) {
        this.work = work;
        plan = work.plan();
        structures = work.structures();
        models = work.admission().models();
        prefix = work + " " + name + ": ";
        this.choices = choices;
        versions = new long[plan.count() + StructurePlan.KEYS];
    }

    /** A put that has yet to begin. */
    @FunctionalInterface
    private interface Put {
        Call<Long> begin(byte[] value, @Nullable Long expected);
    }

    /** Works until all is done, or until the connection ends. */
    void work() {
        boolean open = true;
        for (int i = 0; i < plan.operations() && open; i++) {
            boolean done = switch (work.opened().get(choices.below(work.opened().size()))) {
                case RECORDS -> record(choices.below(plan.count()));
                case TABLE -> key(choices.below(StructurePlan.KEYS));
                case COUNTERS -> add(choices.below(plan.count()));
                default -> lock(choices.below(plan.count()));
            };
            last.join(); // a cancelled call that has yet to begin would begin behind the next one
            open = done || work.isOpen();
        }
    }

    /** Sends entries until all are sent, or until the connection ends. */
    void produce() {
        RingModel ring = work.admission().ring();
        boolean open = true;
        for (int i = 0; i < plan.operations() && open; i++) {
            int length = length(plan.longestEntry());
            int number = models.nextNumber();
            RingModel.Entry entry = ring.begins(number, length);
            Call<Void> send = structures.send(prefix + "send " + number, StructureValue.of(number, length));
            boolean done = done(send, nothing -> ring.sent(entry), failure -> {});
            last.join();
            open = done || work.isOpen();
        }
    }

    private int length(int longest) {
        return StructureValue.LEAST_BYTES + choices.below(longest - StructureValue.LEAST_BYTES + 1);
    }

    /** Returns whether a call succeeded. Cancels it at some moment, now and then. */
    private <T> boolean done(Call<T> call, Consumer<T> succeeded, Consumer<StructureException> refused) {
        call.end().whenComplete((value, failure) -> {
            if (failure == null) {
                succeeded.accept(value);
            } else if (failure instanceof StructureException known) {
                refused.accept(known);
            }
        });
        work.begun(call);
        if (choices.oneIn(ONE_IN)) {
            if (choices.oneIn(2)) {
                LockSupport.parkNanos(1 + choices.below(LONGEST_WAIT));
            }
            call.cancel();
            last = call.gone();
        }
        return work.succeeds(call);
    }

    private boolean record(int index) {
        VersionModel model = models.records().get(index);
        String of = " record " + index;
        return choices.oneIn(2)
                ? get(model, index, () -> structures.get(prefix + "get" + of, index))
                : put(model, index, (value, expected) -> structures.put(prefix + "put" + of, index, value, expected));
    }

    private boolean key(int index) {
        VersionModel model = models.keys().get(index);
        String of = " key " + index;
        byte[] key = StructureModels.key(index);
        int seen = plan.count() + index;
        return switch (choices.below(5)) {
            case 0, 1 -> get(model, seen, () -> structures.get(prefix + "get" + of, key));
            case 2 -> remove(model, seen, expected -> structures.remove(prefix + "remove" + of, key, expected));
            default -> put(model, seen, (value, expected) -> structures.put(prefix + "put" + of, key, value, expected));
        };
    }

    private boolean get(VersionModel model, int seen, Supplier<Call<VersionedValue>> get) {
        VersionModel.Begin begin = model.begins();
        return done(
                get.get(),
                value -> {
                    model.got(begin, value);
                    versions[seen] = value == null ? 0 : value.version();
                },
                failure -> {});
    }

    private @Nullable Long expected(int seen) {
        return choices.oneIn(2) ? versions[seen] : null;
    }

    private boolean put(VersionModel model, int seen, Put put) {
        Long expected = expected(seen);
        int length = length(plan.capacity());
        int number = models.nextNumber();
        VersionModel.Change change = model.putBegins(number, length, expected);
        return done(
                put.begin(StructureValue.of(number, length), expected),
                version -> {
                    model.put(change, version);
                    versions[seen] = version;
                },
                failure -> refused(model, change, seen, failure));
    }

    private boolean remove(VersionModel model, int seen, Function<@Nullable Long, Call<Boolean>> remove) {
        Long expected = versions[seen] == 0 ? null : expected(seen);
        VersionModel.Change removal = model.removalBegins(expected);
        return done(
                remove.apply(expected),
                was -> {
                    model.removed(removal, was);
                    versions[seen] = 0;
                },
                failure -> refused(model, removal, seen, failure));
    }

    private void refused(VersionModel model, VersionModel.Change change, int seen, StructureException failure) {
        if (failure.reason() == Reason.CONFLICT) {
            model.conflicted(change, failure.version());
            versions[seen] = failure.version();
        } else {
            model.refused(change);
        }
    }

    private boolean add(int index) {
        CounterModel model = models.counters().get(index);
        long addend = choices.below(1 + LARGEST_ADDEND);
        long least = model.begins(addend);
        Call<Long> adding = structures.add(prefix + "add to counter " + index, index, addend);
        return done(adding, value -> model.added(least, addend, value), failure -> {});
    }

    /** Acquires a lock, holds it, perhaps for longer than its lease, renews it and releases it, or leaves it locked. */
    private boolean lock(int index) {
        LockModel model = models.locks().get(index);
        boolean waits = choices.oneIn(2);
        LockModel.Acquisition acquisition = model.begins(work.now());
        Call<StructureLease> acquiring = structures.acquire(prefix + "acquire lock " + index, index, waits);
        boolean acquired = done(
                acquiring,
                lease -> {
                    if (lease == null) {
                        model.isHeldByOther(acquisition);
                    } else {
                        model.acquired(acquisition, lease.token(), work.now());
                    }
                },
                failure -> {});
        if (!acquired) {
            return false;
        }
        StructureLease lease = acquiring.end().join();
        return lease == null || hold(model, acquisition, lease) && release(model, acquisition, lease);
    }

    private boolean hold(LockModel model, LockModel.Acquisition acquisition, StructureLease lease) {
        if (choices.oneIn(2)) {
            LockSupport.parkNanos(1 + choices.below(choices.oneIn(2) ? LONGEST_WAIT : 2_000_000L * plan.leaseMillis()));
        }
        ask(model, acquisition, lease);
        if (choices.oneIn(2)) {
            long before = model.largest();
            long since = work.now();
            Call<Boolean> renewing = lease.renew(prefix + "renew token " + lease.token());
            if (!done(renewing, held -> model.renewed(acquisition, before, since, held), failure -> {})) {
                return false;
            }
            ask(model, acquisition, lease);
        }
        return true;
    }

    private void ask(LockModel model, LockModel.Acquisition acquisition, StructureLease lease) {
        long before = model.largest();
        if (lease.isHeld()) {
            model.isHeld(acquisition, before);
        }
    }

    private boolean release(LockModel model, LockModel.Acquisition acquisition, StructureLease lease) {
        if (choices.oneIn(ONE_IN)) {
            return true;
        }
        long before = model.largest();
        model.releases(acquisition);
        Call<Boolean> releasing = lease.release(prefix + "release token " + lease.token());
        return done(releasing, held -> model.released(acquisition, before, held), failure -> {});
    }
}
