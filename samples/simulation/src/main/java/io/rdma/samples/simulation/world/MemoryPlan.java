package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.schedule.Bounds;
import io.rdma.samples.simulation.schedule.Choices;

/**
 * One-sided operations of a client.
 *
 * @param threads that work on the server's memory, each in a part of its own
 * @param operations of each thread; 0 for none
 * @param right by which the client uses the memory
 */
public record MemoryPlan(int threads, int operations, MemoryPlan.Right right) {
    private static final int MOST_THREADS = 3;
    private static final int MOST_OPERATIONS = 20;

    /** A memory that is not used. */
    public static final MemoryPlan NONE = new MemoryPlan(1, 0, Right.REGION);

    public MemoryPlan {
        Bounds.atLeast(1, threads, "threads");
        Bounds.atLeast(0, operations, "operations");
    }

    /** Draws operations. Half of the clients have none. */
    static MemoryPlan of(Choices choices) {
        return new MemoryPlan(
                1 + choices.below(MOST_THREADS),
                choices.oneIn(2) ? 0 : 1 + choices.below(MOST_OPERATIONS),
                Right.values()[choices.below(Right.values().length)]);
    }

    /** Returns whether the server binds a memory window for the client. */
    boolean binds() {
        return operations > 0 && right == Right.WINDOW;
    }

    /** Right to use memory of the peer. */
    public enum Right {
        /** The key of a region. */
        REGION,
        /** A key for some time. */
        GRANT,
        /** A memory window. */
        WINDOW
    }
}
