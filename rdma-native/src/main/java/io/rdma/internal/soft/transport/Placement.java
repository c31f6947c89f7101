package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.MemoryPlacement.ATOMIC_WRITE_BYTES;
import static io.rdma.internal.ibv.MemoryPlacement.FLUSH_GLOBAL;
import static io.rdma.internal.ibv.MemoryPlacement.FLUSH_MR;
import static io.rdma.internal.ibv.MemoryPlacement.FLUSH_PERSISTENT;

import io.rdma.internal.ibv.MemoryPlacement;
import io.rdma.internal.os.MappedFiles;
import io.rdma.internal.soft.objects.Access;
import io.rdma.internal.soft.objects.MemoryKeys;
import io.rdma.internal.soft.objects.SoftMr;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

// Invariant: the responder executes requests in the order of their PSNs, on one thread. So the writes before a FLUSH or
// ATOMIC WRITE are done.

/** The memory that a FLUSH places or an ATOMIC WRITE changes, IB specification, annex A19. Device thread. */
final class Placement {
    private static final int TYPES = FLUSH_GLOBAL | FLUSH_PERSISTENT;

    private final SoftQp qp;
    private @Nullable FileFlush files; // from the first FLUSH for persistence on

    Placement(SoftQp qp) {
        this.qp = qp;
    }

    void reset() {
        FileFlush before = files;
        if (before != null) {
            before.reset();
        }
    }

    /** Returns whether the headers are those of a request that this device has. */
    boolean isValid(Packet p) {
        if (!qp.device.personality().hasPlacement()) {
            return false;
        }
        if (p.opcode == Opcode.ATOMIC_WRITE) {
            return p.length == ATOMIC_WRITE_BYTES && AtomicOperand.isAligned(p.remoteAddress);
        }
        int types = p.flushTypes();
        boolean sized = isWhole(p) || p.length <= MemoryPlacement.LONGEST_FLUSH;
        return types != 0 && (types & ~TYPES) == 0 && p.flushLevel() <= FLUSH_MR && sized;
    }

    /**
     * Finds the memory.
     *
     * @return address; 0 if the peer has not the rights, or {@code OnDemandPaging.FAULT}. That of a FLUSH is negative
     *     if the memory is paged on demand
     */
    long find(Packet p) {
        MemoryKeys keys = qp.device.keys();
        if (p.opcode == Opcode.ATOMIC_WRITE) {
            return AtomicOperand.find(qp, p, keys.atomicWriteRights(p.rkey));
        }
        int access = MemoryPlacement.access(p.flushTypes());
        boolean queuePair = (qp.attr.qpAccessFlags() & access) == access;
        long from = isWhole(p) ? keys.start(p.rkey) : p.remoteAddress;
        return queuePair ? keys.remote(qp, p.rkey, from, length(p), access) : 0;
    }

    private static boolean isWhole(Packet flush) {
        return flush.flushLevel() == FLUSH_MR;
    }

    private long length(Packet flush) {
        return isWhole(flush) ? qp.device.keys().bytes(flush.rkey) : flush.length;
    }

    /**
     * Executes the request.
     *
     * @param address of {@link #find}
     * @return {@code PAGE_FAULT} while memory is written to its file, {@code REFUSED} if that failed
     */
    Access execute(Packet p, long address) {
        if (p.opcode == Opcode.ATOMIC_WRITE) {
            AtomicOperand.write(p, address);
            return Access.DONE;
        }
        VarHandle.fullFence();
        long bytes = length(p);
        if ((p.flushTypes() & FLUSH_PERSISTENT) == 0 || bytes == 0) {
            return Access.DONE;
        }
        FileFlush writing = files;
        if (writing == null) {
            writing = files = new FileFlush(qp.device.environment(), MappedFiles::sync);
        }
        Access access = writing.ask(p.psn, SoftMr.address(address), bytes);
        if (access == Access.DONE) {
            qp.device.counters().count(Counter.FILE_SYNCS);
        }
        return access;
    }

    /** Returns the RNR timer for a request whose memory is being written to its file. */
    int rnrTimer(Packet p) {
        FileFlush writing = files;
        return writing == null ? 0 : writing.rnrTimer(length(p));
    }
}
