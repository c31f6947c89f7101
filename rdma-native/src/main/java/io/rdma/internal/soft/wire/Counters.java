package io.rdma.internal.soft.wire;

import java.util.LinkedHashMap;
import java.util.Map;

/** The counters of one device since it was opened. In a turn. */
public final class Counters {
    private static final Counter[] ALL = Counter.values();

    private final long[] values = new long[ALL.length];

    public void count(Counter what) {
        values[what.ordinal()]++;
    }

    public void add(Counter what, long more) {
        values[what.ordinal()] += more;
    }

    public void set(Counter what, long value) {
        values[what.ordinal()] = value;
    }

    public long get(Counter what) {
        return values[what.ordinal()];
    }

    /** Returns all values by name, in a fixed order. */
    public Map<String, Long> snapshot() {
        Map<String, Long> result = new LinkedHashMap<>();
        for (Counter counter : ALL) {
            result.put(counter.label(), get(counter));
        }
        return result;
    }
}
