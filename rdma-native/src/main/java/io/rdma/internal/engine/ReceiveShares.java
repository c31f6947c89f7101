package io.rdma.internal.engine;

import java.util.concurrent.atomic.AtomicInteger;

// Invariants
// - A promise is a receive that a peer may use: its window, and its control frames. It lasts until the connection has
// ended and its last message is closed.
// - A window grows only by receives that exist and that nothing promises. So all promises together exceed the receives
// only if the windows with which connections begin exceed the configured number.
// - Growth may use three quarters of the receives. The others are for first windows: connections that came earlier and
// have stalled give nothing back.
// - A window grows while more of those are left than it has, and shrinks while fewer are. So one busy connection gets
// at most half of the three quarters, and two get a third of them each. A window that is short of receives grows by
// more than a third of what it is, or not at all, because fewer would not be announced at once. So it may stay a
// quarter below its share.
// - A window shrinks only by messages that are given back. So a connection that was busy and becomes idle keeps its
// window until further messages of it are given back: credits that a peer has cannot be revoked.

/**
 * Division of shared receives among connections. It bounds their windows: a busy connection lends receives that nobody
 * needs, and gives them back as soon as others do.
 */
final class ReceiveShares {
    private final boolean fixed;
    private volatile int most;
    private final AtomicInteger promised = new AtomicInteger();

    /**
     * Creates the division of receives of which nothing is promised.
     *
     * @param count of receives that exist
     * @param fixed whether each connection is promised its largest window before it begins, which then never changes
     */
    ReceiveShares(int count, boolean fixed) {
        this.fixed = fixed;
        most = most(count);
    }

    private static int most(int count) {
        return count - ReceiveRing.batch(count);
    }

    /** Notes that more receives exist now. */
    void grew(int count) {
        most = most(count);
    }

    /** Returns whether more receives are promised than exist. */
    boolean isExceeded() {
        return promised.get() > most;
    }

    /** Returns the number of receives that are promised now. */
    int promised() {
        return promised.get();
    }

    /**
     * Promises receives before a connection begins.
     *
     * @throws IllegalStateException if the others have been promised too many
     */
    void promise(int receives) {
        int bound = most;
        int before = promised.getAndAccumulate(receives, (now, more) -> now + more <= bound ? now + more : now);
        if (receives > 0 && before + receives > bound) {
            throw new IllegalStateException(before + " of " + bound + " shared receive buffers are promised, and "
                    + receives + " more are needed: on iWARP no message can wait for a buffer. Configure more with"
                    + " ResourceOptions.withSharedReceiveBuffers, or fewer for each connection (receiveBuffers)");
        }
    }

    /** Gives a promise back. */
    void release(int receives) {
        promised.addAndGet(-receives);
    }

    /** Adds a connection, which gets its first window whatever is left. */
    void join(int receives) {
        if (!fixed) {
            promised.addAndGet(receives);
        }
    }

    /**
     * Removes a connection.
     *
     * @param receives promised to it now
     */
    void leave(int receives) {
        if (!fixed) {
            promised.addAndGet(-receives);
        }
    }

    /** Returns the number of receives that windows may still grow by. */
    private int left(int before) {
        return most - most / 4 - before;
    }

    /**
     * Promises more receives to a connection.
     *
     * @param window of the connection
     * @param wanted number of further receives
     * @return the number that it gets; 0 if so few receives are left that they would not be worth a frame
     */
    int grow(int window, int wanted) {
        if (fixed) {
            return wanted;
        }
        while (true) {
            int before = promised.get();
            int free = (left(before) - window) / 2;
            if (free < wanted && free <= window / 3) {
                return 0;
            }
            int more = Math.min(wanted, free);
            if (promised.compareAndSet(before, before + more)) {
                return more;
            }
        }
    }

    /** Returns whether a connection with this window has more than its share. Any thread. */
    boolean isExceededBy(int window) {
        return !fixed && window > left(promised.get());
    }
}
