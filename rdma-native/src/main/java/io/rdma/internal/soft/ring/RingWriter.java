package io.rdma.internal.soft.ring;

import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.PacketCodec;

// Invariants
// - A packet is published after all its bytes are written, so a writer that is killed leaves no torn packet.
// - The reader's index is in memory that another process writes: it says how much room there is, and nothing else.

/** Writer of a ring. In a turn. */
final class RingWriter {
    private static final int HEADERS = RingReader.LONGEST - Packet.LONGEST_JOINED;
    private static final long CROWDED = Ring.CAPACITY / 4 * 3;

    private final Ring ring;
    private long tail;
    private long head; // as last read
    private boolean broken;

    RingWriter(Ring ring) {
        this.ring = ring;
    }

    /**
     * Writes a packet.
     *
     * @return false if the ring is full
     */
    boolean write(Packet packet) {
        int place = Ring.place(tail);
        int most = Ring.taken(HEADERS + packet.payload);
        int skipped = Ring.CAPACITY - place < most ? Ring.CAPACITY - place : 0;
        if (!hasRoom(skipped + most)) {
            return false;
        }
        if (skipped > 0) {
            ring.length(place, Ring.WRAP);
            place = 0;
        }
        int length = PacketCodec.encode(packet, ring.packets(), ring.address(), place + Ring.PREFIX);
        ring.length(place, length);
        ring.mtu(place, packet.mtu);
        tail += skipped + Ring.taken(length);
        ring.publish(tail);
        return true;
    }

    private boolean hasRoom(int bytes) {
        long most = Ring.CAPACITY - bytes;
        return tail - head <= most || readHead(most);
    }

    /** Reads the reader's index. Returns whether at most so many bytes wait for it. */
    private boolean readHead(long most) {
        long read = ring.head();
        if (tail - read < 0 || read - head < 0) { // no reader writes that
            broken = true;
            return false;
        }
        head = read;
        return tail - head <= most;
    }

    /** Returns whether the other side has written what no reader writes: the ring is of no use. */
    boolean isBroken() {
        return broken;
    }

    /** Returns whether so much waits for the reader that the rest is kept for acknowledges. */
    boolean isCrowded() {
        return tail - head > CROWDED && !readHead(CROWDED);
    }

    /** Returns the end of what the reader is known to be done with. */
    long head() {
        return head;
    }

    /** Returns whether the reader has to be woken for what was written. */
    boolean wakes() {
        return ring.wakes();
    }

    /** Returns whether the reader has left. */
    boolean isLeft() {
        return ring.isLeft();
    }
}
