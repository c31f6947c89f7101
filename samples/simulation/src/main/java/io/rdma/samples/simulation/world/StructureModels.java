package io.rdma.samples.simulation.world;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Models of the structures of a run, to which all operations on them are compared. */
final class StructureModels {
    private final Consumer<String> wrong;
    private final List<VersionModel> records;
    private final List<VersionModel> keys;
    private final List<CounterModel> counters;
    private final List<LockModel> locks;
    private int numbers;

    /**
     * @param wrong takes what is wrong
     */
    StructureModels(StructurePlan plan, Consumer<String> wrong) {
        this.wrong = wrong;
        records = of(plan.count(), i -> new VersionModel("record " + i, false, wrong));
        keys = of(StructurePlan.KEYS, i -> new VersionModel("key " + i, true, wrong));
        counters = of(plan.count(), i -> new CounterModel("counter " + i, wrong));
        locks = of(plan.count(), i -> new LockModel("lock " + i, plan.leaseMillis() * 1_000_000L, wrong));
    }

    private static <T> List<T> of(int count, IntFunction<T> make) {
        return IntStream.range(0, count).mapToObj(make).toList();
    }

    List<VersionModel> records() {
        return records;
    }

    List<VersionModel> keys() {
        return keys;
    }

    List<CounterModel> counters() {
        return counters;
    }

    List<LockModel> locks() {
        return locks;
    }

    RingModel ring(String name) {
        return new RingModel(name, wrong);
    }

    /** Returns a number that no other put and no other entry has. */
    int nextNumber() {
        return ++numbers;
    }

    /** Returns the name of a key. */
    static byte[] key(int index) {
        return new byte[] {(byte) ('a' + index)};
    }
}
