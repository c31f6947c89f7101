package io.rdma.internal.engine;

import io.rdma.internal.loop.LoopCounts;

// Invariant: the number of a message is its place among the messages that were posted, modulo 2^32. So none is
// delivered twice or out of order, although an unreliable queue pair takes each packet that begins a message. A message
// that comes more than 65,536 numbers late is the exception: it is taken for one that is ahead.

/**
 * Numbers of the messages of an unreliable connection in both directions. A SEND carries the number of its message as
 * immediate data. So the receiver counts the messages that were lost. See docs/internals/protocol.md.
 */
final class MessageNumbers {
    /**
     * A message at most so many numbers behind the expected one is late or a copy; any other number is ahead. And a gap
     * adds at most so many messages to the loop's count, so that one peer does not ruin it by its numbers.
     */
    private static final int LATE = 1 << 16;

    private final LoopCounts counters;
    private int next; // (poster) of the messages of this side
    private int expected; // (loop) of the messages of the peer
    private volatile long lost; // (loop)

    /**
     * Creates the numbers of a connection.
     *
     * @param counters of the loop
     */
    MessageNumbers(LoopCounts counters) {
        this.counters = counters;
    }

    /** Returns the number of the message that is posted now. Poster. */
    int next() {
        return next++;
    }

    /**
     * Takes the number of a message that arrived, and counts the messages that are missing before it. Loop.
     *
     * @return false if the message is late or a copy: it must not be delivered
     */
    boolean accept(int number) {
        int ahead = number - expected;
        if (ahead < 0 && ahead >= -LATE) {
            return false;
        }
        expected = number + 1;
        if (ahead != 0) {
            long missing = Integer.toUnsignedLong(ahead);
            lost += missing;
            counters.lost(Math.min(missing, LATE));
        }
        return true;
    }

    /** Returns the number of messages of the peer that were lost before one that arrived. */
    long lost() {
        return lost;
    }
}
