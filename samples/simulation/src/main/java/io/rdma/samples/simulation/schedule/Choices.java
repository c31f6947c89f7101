package io.rdma.samples.simulation.schedule;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Random choices of a simulation. One seed always gives the same choices, on every machine. */
public final class Choices {
    private final SplittableRandom random;

    public Choices(long seed) {
        random = new SplittableRandom(seed);
    }

    private Choices(SplittableRandom random) {
        this.random = random;
    }

    /** Returns 0 to {@code bound} − 1. */
    public int below(int bound) {
        return bound == 1 ? 0 : random.nextInt(bound);
    }

    /** Returns 0 to {@code bound} − 1. */
    public long below(long bound) {
        return random.nextLong(bound);
    }

    /** Returns true once in {@code n} times, on average. */
    public boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    /**
     * Returns choices that are independent of these. What one part of a simulation draws from its own choices does not
     * change those of another part.
     */
    public Choices split() {
        return new Choices(random.split());
    }

    /** Returns these choices as a source of random numbers. */
    public RandomGenerator generator() {
        return random;
    }
}
