package io.rdma.samples.bench.ycsb;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.MeasurementsExporter;

/**
 * YCSB's count of the rows that it has compared with their right content, by the name of their status. YCSB counts in
 * one place for the whole JVM, and never begins anew.
 */
final class Verifications {
    private static final String OPERATION = "VERIFY";
    private static final String RETURN = "Return=";

    private final Map<String, Integer> counts;

    private Verifications(Map<String, Integer> counts) {
        this.counts = counts;
    }

    static Verifications now() throws IOException {
        Counts counts = new Counts();
        Measurements.getMeasurements().exportMeasurements(counts);
        return new Verifications(counts.found);
    }

    /** Returns what has been counted since an earlier time. A status that was not counted is left out. */
    Map<String, Integer> since(Verifications earlier) {
        Map<String, Integer> difference = new TreeMap<>();
        counts.forEach((status, count) -> {
            int more = count - earlier.counts.getOrDefault(status, 0);
            if (more > 0) {
                difference.put(status, more);
            }
        });
        return difference;
    }

    private static final class Counts implements MeasurementsExporter {
        private final Map<String, Integer> found = new TreeMap<>();

        @Override
        public void write(String operation, String measurement, int value) {
            if (operation.equals(OPERATION) && measurement.startsWith(RETURN)) {
                found.put(measurement.substring(RETURN.length()), value);
            }
        }

        @Override
        public void write(String operation, String measurement, long value) {}

        @Override
        public void write(String operation, String measurement, double value) {}

        @Override
        public void close() {}
    }
}
