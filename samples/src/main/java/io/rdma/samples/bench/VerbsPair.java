package io.rdma.samples.bench;

import io.rdma.samples.bench.exchange.VerbsClient;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An operation of this library, and the program of perftest that does the same. */
record VerbsPair(
        String name,
        String base,
        String unit,
        Measure<VerbsClient> ours,
        Measure<Perftest> theirs,
        @Nullable Bar bar) {
    private static final Bar LATENCY = Bar.atMost(1.15);
    private static final Bar BANDWIDTH = Bar.atLeast(0.95);

    /** One figure. */
    @FunctionalInterface
    interface Measure<T> {
        double of(T program) throws Exception;
    }

    /**
     * In the order of a round.
     *
     * @param count operations of a latency; of a bandwidth, 64 KiB each
     */
    static List<VerbsPair> all(int count) {
        List<VerbsPair> pairs = new ArrayList<>();
        for (int size : List.of(2, 64, 4096)) {
            pairs.add(latency(
                    "send",
                    size,
                    "ib_send_lat",
                    count,
                    ours -> ours.sendLatency(size, count),
                    size == 64 ? LATENCY : null));
            pairs.add(latency("read", size, "ib_read_lat", count, ours -> ours.readLatency(size, count), null));
            pairs.add(latency("write", size, "ib_write_lat", count, ours -> ours.writeLatency(size, count), null));
        }
        pairs.add(latency("atomic", Long.BYTES, "ib_atomic_lat", count, ours -> ours.atomicLatency(count), null));
        for (int size : List.of(64, 65_536)) {
            pairs.add(bandwidth("send", size, "ib_send_bw", count, ours -> ours.sendBandwidth(size, count), null));
            pairs.add(bandwidth(
                    "write",
                    size,
                    "ib_write_bw",
                    count,
                    ours -> ours.writeBandwidth(size, count),
                    size == 65_536 ? BANDWIDTH : null));
        }
        int size = 1 << 20;
        int few = Math.max(5, count / 16);
        pairs.add(bandwidth("write", size, "ib_write_bw", few, ours -> ours.writeBandwidth(size, few), null));
        return pairs;
    }

    private static VerbsPair latency(
            String operation, int size, String program, int count, Measure<VerbsClient> ours, @Nullable Bar bar) {
        return new VerbsPair(
                operation + " latency, " + size + " B",
                program + ", " + size + " B",
                "us",
                ours,
                theirs -> theirs.latency(program, size, count),
                bar);
    }

    private static VerbsPair bandwidth(
            String operation, int size, String program, int count, Measure<VerbsClient> ours, @Nullable Bar bar) {
        return new VerbsPair(
                operation + " bandwidth, " + size + " B",
                program + ", " + size + " B",
                "Gbit/s",
                ours,
                theirs -> theirs.bandwidth(program, size, count),
                bar);
    }

    /** After the last round. */
    void compare(Results results) {
        if (bar == null) {
            results.compare(name, base);
        } else {
            results.compare(name, base, bar);
        }
    }
}
