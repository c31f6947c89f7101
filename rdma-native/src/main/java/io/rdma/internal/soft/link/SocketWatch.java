package io.rdma.internal.soft.link;

// Invariants
// - The device's thread stays away from the socket only while packets come and somebody polls, and never longer than
// AWAY_NANOS without looking whether that still holds.
// - Whoever polled and goes to sleep says so before looking whether the thread is away; the thread says that it is away
// before looking whether somebody went to sleep. So one of the two sees the other.

/**
 * Who watches a device's socket: its thread, or those who poll completion queues. A packet that a poller takes itself
 * needs no change of threads, neither to the device's thread nor back.
 */
public final class SocketWatch {
    /** How long packets may lie there when those who polled have stopped without a word. */
    public static final long AWAY_NANOS = 1_000_000;

    private final boolean trusting;
    private volatile boolean away;
    private volatile boolean left;
    private volatile boolean polled; // since the device's thread last decided
    private boolean arrived; // since then; in a turn

    /**
     * @param trusting false: never; on a single processor who polls keeps the sender from it, while a thread that
     *     sleeps gets it as soon as a packet comes
     */
    public SocketWatch(boolean trusting) {
        this.trusting = trusting;
    }

    /**
     * A completion queue was polled that is empty. Any thread.
     *
     * @return whether the poller has to look for packets
     */
    public boolean polled() {
        if (!polled) {
            polled = true;
        }
        return away;
    }

    /** Whether those who poll look for packets still. */
    public boolean isAway() {
        return away;
    }

    /**
     * Somebody who polled goes to sleep. Any thread.
     *
     * @return whether the device's thread has to be woken
     */
    public boolean left() {
        polled = false;
        left = true;
        if (!away) {
            return false;
        }
        away = false;
        return true;
    }

    /** Packets came. In a turn. */
    public void arrived() {
        arrived = true;
    }

    /**
     * The device's thread is about to sleep. In its turn.
     *
     * @return whether it leaves the socket to those who poll
     */
    public boolean leaveToPollers() {
        left = false;
        boolean leave = trusting && polled && arrived;
        polled = false;
        arrived = false;
        away = leave;
        if (leave && left) {
            away = false;
            return false;
        }
        return leave;
    }
}
