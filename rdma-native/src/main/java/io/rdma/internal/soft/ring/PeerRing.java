package io.rdma.internal.soft.ring;

import io.rdma.internal.soft.wire.UdpAddress;
import java.util.concurrent.TimeUnit;

// States: offered -> usable -> ended -> closed. A ring that the peer made is usable at once. An ended ring is read
// until it is empty. A closed one is not touched any more, and is unmapped by the thread that receives.

/** Pair of rings between this device and another one. In a turn. */
final class PeerRing {
    /** Reads of the empty socket after which no packet is in it that was sent before the first one in the ring. */
    private static final int EMPTY_READS = 2; // the socket answers one of two without a system call

    /** Reads of a socket that is never empty after which the ring is read all the same. */
    private static final int MOST_READS = 1 << 16;

    /** Age of a ring at which its offer is repeated, because the datagram may be lost. It doubles with each. */
    private static final long ASK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Time after which a peer that has not accepted an offer will not. */
    private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(15);

    final UdpAddress peer;
    final RingWriter out;
    final RingReader in;
    private final RingFile file;
    private boolean accepted;
    private boolean ended;
    private int asked;
    private final long madeAt;
    private long stalledAt;
    private long stalledSince;
    private boolean closed;
    private int reads;
    private int emptyReads;
    boolean written; // since the last flush

    PeerRing(UdpAddress peer, RingFile file, long now) {
        this.peer = peer;
        this.file = file;
        madeAt = now;
        out = new RingWriter(new Ring(file.outbound()));
        in = new RingReader(new Ring(file.inbound()));
    }

    /** Returns whether packets may be written: the other side reads them. */
    boolean isUsable() {
        return !closed && !ended && isAccepted();
    }

    private boolean isAccepted() {
        if (!accepted) {
            accepted = file.isAccepted();
        }
        return accepted;
    }

    /** Writes no more, because the other side has gone or has written nonsense. */
    void end() {
        ended = true;
    }

    /** Returns whether nothing is written any more, and nothing is left to be read. */
    boolean isDone() {
        return ended && !in.hasNext();
    }

    /** Returns whether the peer has not accepted the offer, and it is time to repeat it. Counts that. */
    boolean asksAgain(long now) {
        if (isAccepted() || now - madeAt < ASK_AGAIN_NANOS << asked) {
            return false;
        }
        asked++;
        return true;
    }

    /** Returns whether the peer has not accepted the offer for so long that it will not. */
    boolean isGivenUp(long now) {
        return !isAccepted() && now - madeAt >= GIVE_UP_NANOS;
    }

    /** Returns whether this side has left the ring. */
    boolean isClosed() {
        return closed;
    }

    /** Leaves the ring, and notes that for the other side. Its memory stays until {@link #unmap}. */
    void leave() {
        closed = true;
        in.leave();
    }

    /** Returns whether the reader has taken nothing for a time, while much waits. */
    boolean isStalled(long now, long nanos) {
        if (stalledSince == 0 || out.head() != stalledAt) {
            stalledAt = out.head();
            stalledSince = now | 1;
        }
        return now - stalledSince >= nanos;
    }

    /** Returns whether the other side has opened the ring and is gone. */
    boolean isDeserted() {
        return isUsable() && !file.isPeerAlive();
    }

    /** Returns whether all packets were read that the peer had sent by UDP before it used the ring. */
    boolean isBehindSocket() {
        return emptyReads >= EMPTY_READS || reads >= MOST_READS;
    }

    /** Notes a read of the socket while a packet waits in the ring. */
    void socketWasRead(boolean empty) {
        reads++;
        if (empty) {
            emptyReads++;
        }
    }

    /** Returns the name of the file. */
    String name() {
        return file.name();
    }

    /** Unmaps the memory. */
    void unmap() {
        file.close();
    }
}
