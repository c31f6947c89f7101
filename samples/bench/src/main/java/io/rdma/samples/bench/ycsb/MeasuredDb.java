package io.rdma.samples.bench.ycsb;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.Vector;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/**
 * A store that counts the operations of one thread, measures their times, and remembers the first one that did not
 * succeed. The workloads ignore the status of most operations.
 */
final class MeasuredDb extends DB {
    private final DB store;
    private final Map<Operation, Histogram> times = new EnumMap<>(Operation.class);
    private final List<String> inserted = new ArrayList<>();
    private @Nullable String failure;

    /** The operations of the workloads. */
    enum Operation {
        READ,
        UPDATE,
        INSERT
    }

    MeasuredDb(DB store) {
        this.store = store;
        for (Operation operation : Operation.values()) {
            times.put(operation, new Histogram(3));
        }
    }

    Map<Operation, Histogram> times() {
        return times;
    }

    List<String> inserted() {
        return inserted;
    }

    /** Returns the first operation that failed, or null. */
    @Nullable
    String failure() {
        return failure;
    }

    private Status measure(Operation operation, String key, Supplier<Status> call) {
        long start = System.nanoTime();
        Status status = call.get();
        Objects.requireNonNull(times.get(operation)).recordValue(System.nanoTime() - start);
        if (!status.isOk() && failure == null) {
            failure = operation + " of " + key + ": " + status.getName();
        }
        return status;
    }

    @Override
    public Status read(String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
        return measure(Operation.READ, key, () -> store.read(table, key, fields, result));
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        return measure(Operation.UPDATE, key, () -> store.update(table, key, values));
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        inserted.add(key);
        return measure(Operation.INSERT, key, () -> store.insert(table, key, values));
    }

    @Override
    public Status delete(String table, String key) {
        return store.delete(table, key);
    }

    @Override
    public Status scan(
            String table,
            String startKey,
            int count,
            @Nullable Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        return store.scan(table, startKey, count, fields, result);
    }
}
