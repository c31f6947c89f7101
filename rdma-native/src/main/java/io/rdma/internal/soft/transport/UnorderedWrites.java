package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.Ibv.ACCESS_REMOTE_WRITE;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

// Invariants (device thread)
// - Held parts do not overlap, so their order does not decide what the memory holds at the end.
// - Nothing is held when an acknowledge is sent, a receive completes, or a request other than a write is executed.

/**
 * Writes that have arrived and are not in memory yet. They are placed from the last part to the first, within a message
 * and across messages, as devices do whose packets take several ways through the network.
 */
final class UnorderedWrites {
    private static final int ROOM = 2 * Packet.LONGEST_JOINED;
    private static final int PARTS = 256;

    private final SoftQp qp;
    private final MemorySegment room = Arena.ofAuto().allocate(ROOM, Long.BYTES);
    private final long[] addresses = new long[PARTS]; // as the peer names them
    private final long[] targets = new long[PARTS]; // in this process
    private final int[] keys = new int[PARTS];
    private final SoftPd[] domains = new SoftPd[PARTS]; // an XRC target has one for each queue that it is asked for
    private final int[] lengths = new int[PARTS];
    private int parts;
    private int used; // bytes of the room

    UnorderedWrites(SoftQp qp) {
        this.qp = qp;
    }

    boolean isEmpty() {
        return parts == 0;
    }

    /** Forgets what is held. */
    void reset() {
        parts = 0;
        used = 0;
    }

    /**
     * Holds the payload of a packet, in parts of a path MTU. First places what is held if it overlaps, or has no room.
     *
     * @param rkey key that the peer named
     * @param address the peer's name of the payload's place
     * @param target address of that place in this process
     * @return false if memory of an earlier write cannot be accessed any more
     */
    boolean hold(Packet p, int rkey, long address, long target) {
        int needed = Packet.packets(p.payload, qp.mtu);
        boolean fits = parts + needed <= PARTS && used + p.payload <= ROOM && !overlaps(target, p.payload);
        if (!fits && !place()) {
            return false;
        }
        for (int offset = 0; offset < p.payload; offset += qp.mtu) {
            int bytes = Math.min(qp.mtu, p.payload - offset);
            p.copyOut(offset, room.address() + used, bytes);
            addresses[parts] = address + offset;
            targets[parts] = target + offset;
            keys[parts] = rkey;
            domains[parts] = qp.pd;
            lengths[parts++] = bytes;
            used += bytes;
        }
        return true;
    }

    private boolean overlaps(long target, int bytes) {
        for (int i = 0; i < parts; i++) {
            if (targets[i] < target + bytes && target < targets[i] + lengths[i]) {
                return true;
            }
        }
        return false;
    }

    /**
     * Places what is held. Checks keys again: a region may have been deregistered since.
     *
     * @return false if memory cannot be accessed any more; the other parts are placed
     */
    boolean place() {
        boolean placed = true;
        while (parts > 0) {
            int bytes = lengths[--parts];
            used -= bytes;
            long to = qp.device
                    .keys()
                    .remote(qp, domains[parts], keys[parts], addresses[parts], bytes, ACCESS_REMOTE_WRITE);
            if (to > 0) {
                NativeMemory.copy(room.address() + used, to, bytes);
            } else {
                placed = false;
            }
        }
        return placed;
    }
}
