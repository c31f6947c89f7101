package io.rdma.internal.soft.link;

// Invariants
// - The device's thread stays away from the socket only while packets arrive and some thread polls. It checks that
// again after AWAY_NANOS at the latest.
// - A polling thread that goes to sleep sets `left` before it reads `away`. The device's thread sets `away` before it
// reads `left`. So one of the two sees the other.

/**
 * The choice of the threads that watch a device's socket: the device's thread, or those that poll completion queues. A
 * packet that a polling thread receives itself needs no thread switch, neither to the device's thread nor back.
 */
public final class SocketWatch {
    /** Longest time that packets may wait in the socket if all polling threads have stopped without a notice. */
    public static final long AWAY_NANOS = 1_000_000;

    private final boolean trusting;
    private volatile boolean away;
    private volatile boolean left;
    private volatile boolean polled; // since the device's thread last decided
    private boolean arrived; // whether packets arrived since then; in a turn

    /**
     * Creates a watch by the device's thread.
     *
     * @param trusting whether to leave the socket to polling threads at all; false on a single processor, where a
     *     polling thread would keep it from the sender, while a sleeping thread gets it as soon as a packet arrives
     */
    public SocketWatch(boolean trusting) {
        this.trusting = trusting;
    }

    /**
     * Notes that an empty completion queue was polled. Any thread.
     *
     * @return whether the polling thread has to receive packets
     */
    public boolean polled() {
        if (!polled) {
            polled = true;
        }
        return away;
    }

    /** Returns whether the socket is still left to polling threads. */
    public boolean isAway() {
        return away;
    }

    /**
     * Notes that a thread that has polled goes to sleep. Any thread.
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

    /** Notes that packets arrived. In a turn. */
    public void arrived() {
        arrived = true;
    }

    /**
     * Decides, before the device's thread sleeps, whether it watches the socket. In its turn.
     *
     * @return whether it leaves the socket to polling threads
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
