package io.rdma.samples.bench;

import java.util.Locale;

/**
 * What a figure should be.
 *
 * @param most whether the limit is the most, else the least
 * @param limit the number
 */
record Bar(boolean most, double limit) {
    static Bar atMost(double limit) {
        return new Bar(true, limit);
    }

    static Bar atLeast(double limit) {
        return new Bar(false, limit);
    }

    boolean isMet(double value) {
        return most ? value <= limit : value >= limit;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, most ? "<= %.3g" : ">= %.3g", limit);
    }
}
