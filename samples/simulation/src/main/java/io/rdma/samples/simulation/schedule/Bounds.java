package io.rdma.samples.simulation.schedule;

/** Bounds of the numbers that describe a simulation. Descriptions are also read from text, and made smaller. */
public final class Bounds {
    private Bounds() {}

    /**
     * Checks that a number is not less than another one.
     *
     * @throws IllegalArgumentException if it is
     */
    public static void atLeast(long least, long number, String what) {
        if (number < least) {
            throw new IllegalArgumentException(what + " is " + number + ", and must be at least " + least);
        }
    }
}
