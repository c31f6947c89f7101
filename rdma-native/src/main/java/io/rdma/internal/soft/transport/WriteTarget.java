package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.Ibv.ACCESS_REMOTE_WRITE;

import io.rdma.internal.soft.objects.Access;
import io.rdma.internal.soft.objects.OnDemandPaging;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Packet;

/** The memory that a peer writes. The first packet of a message names it for all of them. Device thread. */
final class WriteTarget {
    private final SoftQp qp;
    private long address;
    private long length;
    private int rkey;
    private long found; // memory of the current packet; 0 if it has no payload

    WriteTarget(SoftQp qp) {
        this.qp = qp;
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
        if (bytes == 0) {
            return Access.DONE;
        }
        found = qp.device.keys().remote(qp, rkey, address + offset, checked, ACCESS_REMOTE_WRITE);
        if (found < 0) {
            return qp.device.keys().paging().touch(rkey, found, bytes, length - offset, true);
        }
        return found == 0 ? Access.REFUSED : Access.DONE;
    }

    /**
     * Writes the payload to the memory that was found.
     *
     * @return false if on-demand memory was unmapped since
     */
    boolean write(Packet p) {
        if (found < 0) {
            OnDemandPaging paging = qp.device.keys().paging();
            paging.finished();
            return paging.store(p, 0, found, p.payload);
        }
        if (found != 0) {
            p.copyOut(0, found, p.payload);
        }
        return true;
    }
}
