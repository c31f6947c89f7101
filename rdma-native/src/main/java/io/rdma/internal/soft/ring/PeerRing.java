package io.rdma.internal.soft.ring;

import io.rdma.internal.soft.wire.UdpAddress;

/** Pair of rings between this device and another one. In a turn. */
final class PeerRing {
    /** Reads of the empty socket after which no packet is in it that was sent before the first one in the ring. */
    private static final int EMPTY_READS = 2; // the socket answers one of two without a system call

    /** Reads of a socket that is never empty after which the ring is read all the same. */
    private static final int MOST_READS = 1 << 16;

    final UdpAddress peer;
    final RingWriter out;
    final RingReader in;
    private final RingFile file;
    private boolean accepted;
    private long stalledAt;
    private long stalledSince;
    private boolean closed;
    private int reads;
    private int emptyReads;
    boolean written; // since the last flush

    PeerRing(UdpAddress peer, RingFile file) {
        this.peer = peer;
        this.file = file;
        out = new RingWriter(new Ring(file.outbound()));
        in = new RingReader(new Ring(file.inbound()));
    }

    /** Returns whether packets may be written: the other side reads them. */
    boolean isUsable() {
        if (closed) {
            return false;
        }
        if (!accepted) {
            accepted = file.isAccepted();
        }
        return accepted;
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
