package io.rdma.engine;

/**
 * How an open device is shared among connections; immutable.
 *
 * @param completionQueueEntries depth of each completion queue, the sum of the queue depths of all connections on it; bounded by the device
 * @param loops completion queues, each with a thread of its own; a connection belongs to the one that has the most room when it begins
 * @param idleStrategy what a loop does when nothing completes
 */
public record ResourceOptions(int completionQueueEntries, int loops, IdleStrategy idleStrategy) {
    /** 8192 entries, which is 30 connections of the default depths; one loop, adaptive. */
    public static final ResourceOptions DEFAULT = new ResourceOptions(8192, 1, IdleStrategy.ADAPTIVE);

    /** Checks the ranges. */
    public ResourceOptions {
        if (completionQueueEntries < 1) {
            throw new IllegalArgumentException("completionQueueEntries must be at least 1: " + completionQueueEntries);
        }
        if (loops < 1 || loops > 1024) {
            throw new IllegalArgumentException("loops must be from 1 to 1024: " + loops);
        }
    }

    /**
     * With another depth.
     *
     * @param entries see the record
     * @return a copy
     */
    public ResourceOptions withCompletionQueueEntries(int entries) {
        return new ResourceOptions(entries, loops, idleStrategy);
    }

    /**
     * With another number of loops.
     *
     * @param count see the record
     * @return a copy
     */
    public ResourceOptions withLoops(int count) {
        return new ResourceOptions(completionQueueEntries, count, idleStrategy);
    }

    /**
     * With another idle strategy.
     *
     * @param strategy see the record
     * @return a copy
     */
    public ResourceOptions withIdleStrategy(IdleStrategy strategy) {
        return new ResourceOptions(completionQueueEntries, loops, strategy);
    }
}
