package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.Ibv.ACCESS_REMOTE_WRITE;

import io.rdma.internal.soft.objects.Access;
import io.rdma.internal.soft.objects.OnDemandPaging;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import org.jspecify.annotations.Nullable;

/** The memory that a peer writes. The first packet of a message names it for all of them. Device thread. */
final class WriteTarget {
    private final SoftQp qp;
    private long address;
    private long length;
    private int rkey;
    private long at; // the peer's address of the current packet
    private long found; // memory of the current packet; 0 if it has no payload
    private final @Nullable UnorderedWrites held;

    WriteTarget(SoftQp qp) {
        this.qp = qp;
        held = qp.device.personality().placesInAnyOrder() ? new UnorderedWrites(qp) : null;
    }

    void reset() {
        if (held != null) {
            held.reset();
        }
    }

    /** Sets what the first packet of a message names. */
    void name(Packet first) {
        address = first.remoteAddress;
        length = first.length;
        rkey = first.rkey;
    }

    /** Returns the number of bytes of the message. */
    long length() {
        return length;
    }

    /** Returns whether queue pair and key allow the whole message, so that a forbidden one writes nothing. */
    boolean isAllowed() {
        return (qp.attr.qpAccessFlags() & ACCESS_REMOTE_WRITE) != 0
                && (length == 0 || qp.device.keys().remote(qp, rkey, address, length, ACCESS_REMOTE_WRITE) != 0);
    }

    /** Finds the memory of a packet. Checks again: the region may have been deregistered since the first packet. */
    Access find(long offset, int bytes) {
        return find(offset, bytes, bytes);
    }

    /** Finds the memory of an unreliable packet. The first packet of a message also checks that of all the others. */
    Access findUnreliable(long offset, int bytes) {
        boolean allowed = (qp.attr.qpAccessFlags() & ACCESS_REMOTE_WRITE) != 0;
        return allowed ? find(offset, bytes, offset == 0 ? length : bytes) : Access.REFUSED;
    }

    private Access find(long offset, int bytes, long checked) {
        found = 0;
        at = address + offset;
        if (bytes == 0) {
            return Access.DONE;
        }
        found = qp.device.keys().remote(qp, rkey, at, checked, ACCESS_REMOTE_WRITE);
        if (found < 0) {
            return qp.device.keys().paging().touch(rkey, found, bytes, length - offset, true);
        }
        return found == 0 ? Access.REFUSED : Access.DONE;
    }

    /**
     * Writes the payload to the memory that was found, or holds it until {@link #settle}.
     *
     * @return false if memory cannot be accessed any more
     */
    boolean write(Packet p) {
        if (found < 0) {
            OnDemandPaging paging = qp.device.keys().paging();
            paging.finished();
            return paging.store(p, 0, found, p.payload);
        }
        if (held != null) {
            boolean holds = found == 0 || held.hold(p, rkey, at, found);
            return holds && (!Opcode.hasImm(p.opcode) || held.place());
        }
        if (found != 0) {
            p.copyOut(0, found, p.payload);
        }
        return true;
    }

    /** Returns whether writes have arrived that are not in memory. */
    boolean isUnsettled() {
        return held != null && !held.isEmpty();
    }

    /**
     * Places writes that a device without order still holds, before the peer or the application can learn of them.
     *
     * @return false if memory cannot be accessed any more
     */
    boolean settle() {
        return held == null || held.place();
    }
}
