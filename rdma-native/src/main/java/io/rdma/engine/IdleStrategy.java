package io.rdma.engine;

/** What a completion loop does when nothing completes: how much of a processor it gives for how much latency. */
public enum IdleStrategy {
    /** Polls without end: the shortest latency, for a whole processor. */
    BUSY_SPIN,
    /** Polls for a while, then pauses longer and longer, up to 1 ms: needs no events of the device, wakes late. */
    BACK_OFF,
    /**
     * Sleeps as soon as nothing is there, and is woken by the device: the least work, and a system call for each
     * wake-up.
     */
    SLEEP,
    /**
     * Polls for a while, at most 200 µs, then sleeps. Learns how long: longer when it was woken soon after it fell
     * asleep, shorter when it slept long. While it polls it lets other threads have the processor, as the one that it
     * waits for may want it. Nothing when idle, as good as spinning under load. As {@link #SLEEP} where there is a
     * single processor. The default.
     */
    ADAPTIVE
}
