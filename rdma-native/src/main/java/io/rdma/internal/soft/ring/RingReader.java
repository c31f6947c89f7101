package io.rdma.internal.soft.ring;

import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.PacketCodec;

// Invariants
// - The other process may write anything at any time. A length is read once and checked before it is used; the codec
// does the same with headers. Payload that changes while it is copied is the writer's own fault.
// - A packet stays in the ring until the next call: `done` is its end.

/** Reader of a ring. In a turn. */
final class RingReader {
    /** Longest packet without its ICRC: its headers and the padding are shorter than the second number. */
    static final int LONGEST = Packet.LONGEST_JOINED + 124;

    private static final int LEAST_MTU = 256;
    private static final int MOST_MTU = 4096;

    private final Ring ring;
    private long head;
    private long done;
    private long tail; // as last read
    private boolean broken;

    RingReader(Ring ring) {
        this.ring = ring;
    }

    /** Returns whether a packet waits, or the ring is broken. */
    boolean hasNext() {
        return tail != done || ring.tail() != done || broken;
    }

    /** Returns whether the other side has written what no writer writes: the ring is of no use. */
    boolean isBroken() {
        return broken;
    }

    /**
     * Reads the next packet. Its payload stays in the ring until the next read.
     *
     * @return false if there is none, or if it is none: {@link #isBroken} then
     */
    boolean read(Packet into) {
        if (head != done) {
            head = done;
            ring.release(head);
        }
        if (tail == head) {
            tail = ring.tail();
        }
        long waiting = tail - head;
        if (waiting == 0 || broken) {
            return false;
        }
        int place = Ring.place(head);
        int length = waiting < Ring.PREFIX || waiting > Ring.CAPACITY ? 0 : ring.length(place);
        int skipped = 0;
        if (length == Ring.WRAP && waiting > Ring.CAPACITY - place) {
            skipped = Ring.CAPACITY - place;
            place = 0;
            length = ring.length(0);
        }
        if (length <= 0
                || length > LONGEST
                || skipped + Ring.taken(length) > waiting
                || place + Ring.taken(length) > Ring.CAPACITY) {
            broken = true;
            return false;
        }
        done = head + skipped + Ring.taken(length);
        int mtu = ring.mtu(place);
        broken = !isMtu(mtu)
                || !PacketCodec.decode(into, ring.packets(), ring.address(), place + Ring.PREFIX, length)
                || (mtu == 0 ? into.payload > MOST_MTU : !Opcode.isReliable(into.transport));
        into.mtu = mtu;
        return !broken;
    }

    private static boolean isMtu(int mtu) {
        return mtu == 0 || mtu >= LEAST_MTU && mtu <= MOST_MTU && Integer.bitCount(mtu) == 1;
    }

    /** Notes whether this side sleeps. */
    void asleep(boolean now) {
        ring.asleep(now);
    }

    /** Notes that this side reads no more. */
    void leave() {
        ring.leave();
    }
}
