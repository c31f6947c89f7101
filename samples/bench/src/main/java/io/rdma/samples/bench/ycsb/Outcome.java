package io.rdma.samples.bench.ycsb;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** The operations of a run, and their times. */
public final class Outcome {
    private final long operations;
    private final long nanos;
    private final Map<MeasuredDb.Operation, Histogram> times = new EnumMap<>(MeasuredDb.Operation.class);

    private Outcome(long operations, long nanos) {
        this.operations = operations;
        this.nanos = nanos;
    }

    static Outcome of(long operations, long nanos, List<MeasuredDb> clients) {
        Outcome outcome = new Outcome(operations, nanos);
        for (MeasuredDb client : clients) {
            client.times()
                    .forEach((operation, histogram) -> outcome.times
                            .computeIfAbsent(operation, o -> new Histogram(3))
                            .add(histogram));
        }
        return outcome;
    }

    long count(MeasuredDb.Operation operation) {
        Histogram histogram = times.get(operation);
        return histogram == null ? 0 : histogram.getTotalCount();
    }

    /**
     * Returns the number of operations of the workload; a read-modify-write is one.
     *
     * @return number
     */
    public long operations() {
        return operations;
    }

    /**
     * Returns the rate.
     *
     * @return operations of the workload in a millisecond
     */
    public double operationsInAMillisecond() {
        return operations * 1e6 / nanos;
    }

    /**
     * Returns the times of the operations of the store that the run has used, by their names in lower case.
     *
     * @return nanoseconds
     */
    public Map<String, Histogram> times() {
        Map<String, Histogram> used = new LinkedHashMap<>();
        times.forEach((operation, histogram) -> {
            if (histogram.getTotalCount() > 0) {
                used.put(operation.name().toLowerCase(Locale.ROOT), histogram);
            }
        });
        return used;
    }
}
