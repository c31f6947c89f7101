package io.rdma.samples.bench;

import java.util.Locale;

/**
 * A limit that a figure has to meet.
 *
 * @param most whether the limit is a maximum, otherwise a minimum
 * @param limit the number
 */
record Bar(boolean most, double limit) {
    static Bar atMost(double limit) {
        return new Bar(true, limit);
    }

    static Bar atLeast(double limit) {
        return new Bar(false, limit);
    }

    /** Reads what {@link #toString} writes. */
    static Bar parse(String text) {
        return new Bar(
                text.startsWith("<="), Double.parseDouble(text.substring(2).strip()));
    }

    boolean isMet(double value) {
        return most ? value <= limit : value >= limit;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, most ? "<= %.3g" : ">= %.3g", limit);
    }
}
