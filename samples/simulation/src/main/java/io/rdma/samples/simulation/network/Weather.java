package io.rdma.samples.simulation.network;

import io.rdma.samples.simulation.schedule.Bounds;

/**
 * What a wire does with what is sent. Datagrams whose latencies differ overtake each other.
 *
 * @param shortest latency in nanoseconds
 * @param longest latency in nanoseconds
 * @param lost datagrams of a thousand
 * @param repeated datagrams of a thousand
 * @param damaged datagrams of a thousand, by one bit
 */
public record Weather(long shortest, long longest, int lost, int repeated, int damaged) {
    public static final Weather FINE = new Weather(1_000, 5_000, 0, 0, 0);

    /** Nothing gets through. TCP waits until it is over. */
    public static final Weather CUT = new Weather(1_000, 5_000, 1000, 0, 0);

    public Weather {
        Bounds.atLeast(1, shortest, "shortest");
        Bounds.atLeast(shortest, longest, "longest");
        Bounds.atLeast(0, lost, "lost");
        Bounds.atLeast(0, repeated, "repeated");
        Bounds.atLeast(0, damaged, "damaged");
    }

    boolean cutsTcp() {
        return lost == 1000;
    }
}
