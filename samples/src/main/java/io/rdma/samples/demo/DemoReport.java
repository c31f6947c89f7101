package io.rdma.samples.demo;

import io.rdma.samples.support.Language;
import io.rdma.samples.support.ProgressBar;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** A report: shows progress while an operation runs, and a table at the end. */
final class DemoReport {
    private static final long MAX_NANOS = 60_000_000_000L;
    private static final int STEPS_WITHOUT_TERMINAL = 4;

    private record Row(String operation, Language language, long count, long bytes, long nanos, Histogram latencies) {}

    private final List<Row> rows = new ArrayList<>();
    private final List<String> mismatches = new ArrayList<>();

    /** Repetitions of one operation. */
    final class Run {
        private final String operation;
        private final Language language;
        private final long total;
        private final Histogram latencies = new ConcurrentHistogram(MAX_NANOS, 3);
        private final long start = System.nanoTime();
        private final ProgressBar bar;
        private long excluded;

        private Run(String operation, Language language, long total) {
            this.operation = operation;
            this.language = language;
            this.total = total;
            this.bar = new ProgressBar(total, STEPS_WITHOUT_TERMINAL);
        }

        /** Records the end of one repetition. Any thread. */
        void done(long startNanos) {
            latencies.recordValue(Math.min(MAX_NANOS, System.nanoTime() - startNanos));
            show(latencies.getTotalCount());
        }

        private synchronized void show(long count) {
            if (bar.moves(count)) {
                bar.write(String.format("%-6s %-16s ", language, operation), count, "");
            }
        }

        /** Excludes the time since a point, which was spent on checks, from the measurement. */
        void exclude(long sinceNanos) {
            excluded += System.nanoTime() - sinceNanos;
        }

        void end(long bytes) {
            rows.add(new Row(operation, language, total, bytes, System.nanoTime() - start - excluded, latencies));
        }
    }

    Run start(String operation, Language language, long total) {
        return new Run(operation, language, total);
    }

    /** Records a mismatch unless {@code right}. */
    synchronized void check(boolean right, String mismatch) {
        if (!right) {
            mismatches.add(mismatch);
        }
    }

    /**
     * Prints the table and the verdict.
     *
     * @return exit status
     */
    int finish() {
        System.out.printf(
                "%n%-16s %-8s %9s %11s %11s %12s %13s%n",
                "operation", "language", "count", "p50 us", "p99 us", "per second", "bytes");
        for (Row row : rows) {
            System.out.printf(
                    "%-16s %-8s %9d %11.1f %11.1f %12.0f %13d%n",
                    row.operation,
                    row.language,
                    row.count,
                    row.latencies.getValueAtPercentile(50) / 1e3,
                    row.latencies.getValueAtPercentile(99) / 1e3,
                    row.count * 1e9 / row.nanos,
                    row.bytes);
        }
        mismatches.forEach(mismatch -> System.out.println("MISMATCH: " + mismatch));
        System.out.println(mismatches.isEmpty() ? "every byte verified" : mismatches.size() + " mismatches");
        return mismatches.isEmpty() ? 0 : 1;
    }
}
