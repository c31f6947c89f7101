package io.rdma.samples.simulation.world;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Model of a counter: each addition that succeeded is in it once, each other one once at most. */
final class CounterModel {
    private final Complaints complaints;
    private final TreeMap<Long, Long> added = new TreeMap<>(); // from the value before to the value after
    private long certain; // sum of the additions that succeeded
    private long possible; // sum of those that have begun
    private long largest; // that an ended operation has seen

    CounterModel(String name, Consumer<String> wrong) {
        complaints = new Complaints(name, wrong);
    }

    /**
     * Notes that an addition begins.
     *
     * @param addend 0 or more
     * @return the least value that it may find
     */
    long begins(long addend) {
        possible += addend;
        return Math.max(certain, largest);
    }

    /**
     * Notes an addition that succeeded.
     *
     * @param least result of {@link #begins}
     */
    void added(long least, long addend, long value) {
        long before = value - addend;
        complaints.check(before >= least, "found " + before + " after " + least);
        complaints.check(value <= possible, "is " + value + ", more than the " + possible + " that were added");
        if (addend > 0) {
            Map.Entry<Long, Long> lower = added.lowerEntry(value);
            complaints.check(
                    lower == null || lower.getValue() <= before, "two additions from " + before + " to " + value);
            added.put(before, value);
        }
        certain += addend;
        largest = Math.max(largest, value);
    }

    /** Checks the value at the end of the run. */
    void is(long value) {
        complaints.check(value >= Math.max(certain, largest), "is " + value + " at the end, less than " + certain);
        complaints.check(value <= possible, "is " + value + " at the end, more than " + possible);
    }
}
