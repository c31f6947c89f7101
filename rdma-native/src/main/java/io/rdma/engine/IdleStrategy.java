package io.rdma.engine;

/** Idle strategy of a completion loop when nothing completes: a trade-off of processor time against latency. */
public enum IdleStrategy {
    /** Polls all the time. Shortest latency, at the price of a whole processor. */
    BUSY_SPIN,
    /** Polls for a while, then pauses longer and longer, up to 1 ms. Needs no events of the device; wakes up late. */
    BACK_OFF,
    /**
     * Sleeps as soon as there is nothing to poll, and is woken by the device. Least processor time, and a system call
     * for each wake-up.
     */
    SLEEP,
    /**
     * Polls for a while, at most 200 µs, then sleeps. The polling time adapts: it grows when the loop was woken soon
     * after it fell asleep, and shrinks when the loop slept long. While polling, the loop yields to other threads,
     * because the thread that it waits for may need the processor. Takes no processor time when idle, and is as fast as
     * spinning under load. Same as {@link #SLEEP} on a single processor. The default.
     */
    ADAPTIVE
}
