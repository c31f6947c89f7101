package io.rdma.samples.bench;

import io.rdma.samples.bench.exchange.VerbsClient;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An operation of this library, and the program of perftest that performs the same operation. */
record VerbsPair(
        String name,
        String base,
        String unit,
        Measure<VerbsClient> ours,
        Measure<Perftest> theirs,
        @Nullable Bar bar) {
    private static final Bar LATENCY = Bar.atMost(1.15);
    private static final Bar BANDWIDTH = Bar.atLeast(0.95);

    /** Measures one figure. */
    @FunctionalInterface
    interface Measure<T> {
        double of(T program) throws Exception;
    }

    /**
     * Returns all pairs, in the order of a round.
     *
     * @param count number of operations of each pair; writes of 1 MiB are a sixteenth of it, at least 5
     */
    static List<VerbsPair> all(int count) {
        List<VerbsPair> pairs = new ArrayList<>();
        for (int size : List.of(2, 64, 4096)) {
            Bar bar = size == 64 ? LATENCY : null;
            pairs.add(latency("send", size, count, "ib_send_lat", ours -> ours.sendLatency(size, count), bar));
            pairs.add(latency("read", size, count, "ib_read_lat", ours -> ours.readLatency(size, count), null));
            pairs.add(latency("write", size, count, "ib_write_lat", ours -> ours.writeLatency(size, count), null));
        }
        pairs.add(latency("atomic", Long.BYTES, count, "ib_atomic_lat", ours -> ours.atomicLatency(count), null));
        for (int size : List.of(64, 65_536)) {
            Bar bar = size == 65_536 ? BANDWIDTH : null;
            pairs.add(bandwidth("send", size, count, "ib_send_bw", ours -> ours.sendBandwidth(size, count), null));
            pairs.add(bandwidth("write", size, count, "ib_write_bw", ours -> ours.writeBandwidth(size, count), bar));
        }
        int size = 1 << 20;
        int few = Math.max(5, count / 16);
        pairs.add(bandwidth("write", size, few, "ib_write_bw", ours -> ours.writeBandwidth(size, few), null));
        return pairs;
    }

    private static VerbsPair latency(
            String operation, int size, int count, String program, Measure<VerbsClient> ours, @Nullable Bar bar) {
        String bytes = ", " + size + " B";
        Measure<Perftest> theirs = perftest -> perftest.latency(program, size, count);
        return new VerbsPair(operation + " latency" + bytes, program + bytes, "us", ours, theirs, bar);
    }

    private static VerbsPair bandwidth(
            String operation, int size, int count, String program, Measure<VerbsClient> ours, @Nullable Bar bar) {
        String bytes = ", " + size + " B";
        Measure<Perftest> theirs = perftest -> perftest.bandwidth(program, size, count);
        return new VerbsPair(operation + " bandwidth" + bytes, program + bytes, "Gbit/s", ours, theirs, bar);
    }
}
