package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.Ibv.ACCESS_REMOTE_ATOMIC;
import static io.rdma.internal.ibv.Ibv.ACCESS_REMOTE_WRITE;
import static io.rdma.internal.ibv.MemoryPlacement.ATOMIC_WRITE_BYTES;
import static io.rdma.internal.ibv.MemoryPlacement.FLUSH_GLOBAL;
import static io.rdma.internal.ibv.MemoryPlacement.FLUSH_MR;
import static io.rdma.internal.ibv.MemoryPlacement.FLUSH_PERSISTENT;

import io.rdma.internal.ibv.MemoryPlacement;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.os.MappedFiles;
import io.rdma.internal.soft.objects.MemoryKeys;
import io.rdma.internal.soft.objects.SoftMr;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

// Invariant: the responder executes requests in the order of their PSNs, on one thread. So the writes before a FLUSH or
// ATOMIC WRITE are done.

/** The memory that a FLUSH places or an ATOMIC WRITE changes, IB specification, annex A19. Device thread. */
final class Placement {
    private static final int TYPES = FLUSH_GLOBAL | FLUSH_PERSISTENT;
    private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();

    private Placement() {}

    /** Returns whether the headers are those of a request that this device has. */
    static boolean isValid(Packet p) {
        if (p.opcode == Opcode.ATOMIC_WRITE) {
            return p.length == ATOMIC_WRITE_BYTES && AtomicOperand.isAligned(p.remoteAddress);
        }
        int types = p.flushTypes();
        return types != 0 && (types & ~TYPES) == 0 && p.flushLevel() <= FLUSH_MR;
    }

    /**
     * Finds the memory.
     *
     * @return address; 0 if the peer has not the rights, or {@code OnDemandPaging.FAULT}
     */
    static long find(SoftQp qp, Packet p) {
        MemoryKeys keys = qp.device.keys();
        if (p.opcode == Opcode.FLUSH) {
            long from = isWhole(p) ? keys.start(p.rkey) : p.remoteAddress;
            return SoftMr.address(allowed(qp, p, from, length(qp, p), MemoryPlacement.access(p.flushTypes())));
        }
        long address = allowed(qp, p, p.remoteAddress, ATOMIC_WRITE_BYTES, ACCESS_REMOTE_WRITE);
        if (address >= 0) {
            return address;
        }
        // The processor writes at once, which needs what an atomic does to memory that may be unmapped.
        long paged = allowed(qp, p, p.remoteAddress, ATOMIC_WRITE_BYTES, ACCESS_REMOTE_WRITE | ACCESS_REMOTE_ATOMIC);
        return paged == 0 ? 0 : keys.paging().atomicTarget(p.rkey, paged);
    }

    private static long allowed(SoftQp qp, Packet p, long from, long bytes, int access) {
        boolean queuePair = (qp.attr.qpAccessFlags() & access) == access;
        return queuePair ? qp.device.keys().remote(qp, p.rkey, from, bytes, access) : 0;
    }

    private static boolean isWhole(Packet flush) {
        return flush.flushLevel() == FLUSH_MR;
    }

    private static long length(SoftQp qp, Packet flush) {
        return isWhole(flush) ? qp.device.keys().bytes(flush.rkey) : flush.length;
    }

    /**
     * Executes the request.
     *
     * @param address of {@link #find}
     * @return false if memory of a file could not be written to it
     */
    static boolean execute(SoftQp qp, Packet p, long address) {
        if (p.opcode == Opcode.ATOMIC_WRITE) {
            LONGS.setRelease(NativeMemory.ALL, address, p.swapAdd);
            return true;
        }
        VarHandle.fullFence();
        long bytes = length(qp, p);
        return (p.flushTypes() & FLUSH_PERSISTENT) == 0 || bytes == 0 || MappedFiles.sync(address, bytes);
    }
}
