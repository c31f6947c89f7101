package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.Ibv.*;
import static io.rdma.internal.ibv.MemoryPlacement.WR_FLUSH;

import io.rdma.internal.soft.objects.Access;
import io.rdma.internal.soft.objects.MemoryKeys;
import io.rdma.internal.soft.objects.OnDemandPaging;
import io.rdma.internal.soft.objects.QueuedRequest;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.Psn;

/**
 * Builder of the packets of a queue pair's requests: their headers, and the pieces of local memory that form the
 * payload. Device thread.
 */
final class Segmenter {
    private final SoftQp qp;

    Segmenter(SoftQp qp) {
        this.qp = qp;
    }

    /** Returns the number of packets of a message, at least one. */
    int packets(QueuedRequest request) {
        return Packet.packets(request.length, qp.mtu);
    }

    /** Returns whether the local memory of a request is registered, and writable if responses are written to it. */
    boolean localMemory(QueuedRequest request) {
        if (request.inline) {
            return true;
        }
        int access = request.answered() ? ACCESS_LOCAL_WRITE : 0;
        for (int i = 0; i < request.numSge; i++) {
            int bytes = request.bytes(i);
            if (bytes != 0 && qp.device.keys().local(qp.pd, request.lkey(i), request.address(i), bytes, access) == 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Builds packets of a send, write, atomic, flush or atomic write.
     *
     * @param index the first of them
     * @param count their number; more than one are joined to one
     * @return REFUSED if the local memory is not registered any more; after a page fault the queue pair runs again
     */
    Access build(Packet packet, QueuedRequest request, int index, int count, int psn) {
        boolean last = index + count == request.packets;
        packet.reset(opcode(request, index == 0, last), qp.attr.destQpNum(), psn);
        packet.mtu = count > 1 ? qp.mtu : 0;
        packet.transport = qp.transport;
        packet.srqn = request.remoteSrqn;
        packet.solicited = last && request.solicited;
        packet.remoteAddress = request.remoteAddress;
        packet.rkey = request.rkey;
        packet.length = request.opcode == WR_FLUSH ? request.swap : request.length;
        packet.placement = request.placement;
        packet.imm = request.imm;
        packet.invalidate = request.invalidate;
        packet.swapAdd = request.opcode == WR_ATOMIC_CMP_AND_SWP ? request.swap : request.compareAdd;
        packet.compare = request.opcode == WR_ATOMIC_CMP_AND_SWP ? request.compareAdd : 0;
        long offset = (long) index * qp.mtu;
        return request.answered()
                ? Access.DONE
                : gather(packet, request, offset, (int) Math.min((long) count * qp.mtu, request.length - offset));
    }

    /** Builds the request of a part of a read, from a packet of the answer on. */
    void buildRead(Packet packet, QueuedRequest request, int index, int part) {
        long offset = (long) index * qp.mtu;
        packet.reset(Opcode.READ_REQUEST, qp.attr.destQpNum(), Psn.add(request.firstPsn, index));
        packet.srqn = request.remoteSrqn;
        packet.ackRequest = true;
        packet.remoteAddress = request.remoteAddress + offset;
        packet.rkey = request.rkey;
        packet.length = Math.min((long) part * qp.mtu, request.length - offset);
    }

    private static int opcode(QueuedRequest request, boolean first, boolean last) {
        if (request.opcode == WR_ATOMIC_CMP_AND_SWP) {
            return Opcode.COMPARE_SWAP;
        }
        if (request.opcode == WR_ATOMIC_FETCH_AND_ADD) {
            return Opcode.FETCH_ADD;
        }
        if (request.isPlacement()) {
            return request.opcode == WR_FLUSH ? Opcode.FLUSH : Opcode.ATOMIC_WRITE;
        }
        int only = request.opcode == WR_SEND_WITH_INV
                ? Opcode.SEND_ONLY_INV
                : (request.isSend() ? Opcode.SEND_ONLY : Opcode.WRITE_ONLY) + (request.hasImm() ? 1 : 0);
        return Opcode.part(only, first, last);
    }

    /** Adds the pieces of local memory for {@code bytes} bytes of the message, starting at {@code offset}. */
    private Access gather(Packet packet, QueuedRequest request, long offset, int bytes) {
        long skip = offset;
        int left = bytes;
        MemoryKeys keys = qp.device.keys();
        boolean paged = false;
        for (int i = 0; i < request.numSge && left > 0; i++) {
            int size = request.bytes(i);
            if (skip >= size) {
                skip -= size;
                continue;
            }
            int part = (int) Math.min(size - skip, left);
            long address = request.inline
                    ? request.address(i) + skip
                    : keys.local(qp.pd, request.lkey(i), request.address(i) + skip, part, 0);
            if (address < 0) {
                paged = true;
                address = keys.paging().source(packet, request.lkey(i), address, part, size - skip);
                if (address == OnDemandPaging.FAULT) {
                    qp.device.runnable(qp);
                    return Access.PAGE_FAULT;
                }
            }
            if (address == 0) {
                return Access.REFUSED; // deregistered since the check
            }
            packet.addPiece(address, part);
            left -= part;
            skip = 0;
        }
        if (paged) {
            keys.paging().finished();
        }
        return Access.DONE;
    }

    /** Ends the oldest request, already taken, with success. */
    void succeed(QueuedRequest request) {
        request.numbered = false;
        if (request.isSend()) {
            qp.device.counters().count(Counter.RDMA_SENDS);
        }
        if (request.signaled) {
            int opcode = request.completionOpcode();
            qp.complete(
                    qp.sendCq, false, qp.sq.taken, request.wrId, WC_SUCCESS, opcode, request.length, request, false);
        }
    }
}
