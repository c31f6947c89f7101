package io.rdma.internal.soft.transport;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** The eight bytes that a peer's atomic or ATOMIC WRITE changes. Device thread. */
final class AtomicOperand {
    private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();

    private AtomicOperand() {}

    /**
     * Finds the memory.
     *
     * @param access rights that the request needs
     * @return address; 0 if the peer may not change that memory, or {@code OnDemandPaging.FAULT}
     */
    static long find(SoftQp qp, Packet p, int access) {
        boolean allowed = (qp.attr.qpAccessFlags() & access) == access;
        long address = allowed ? qp.device.keys().remote(qp, p.rkey, p.remoteAddress, Long.BYTES, access) : 0;
        return address < 0 ? qp.device.keys().paging().atomicTarget(p.rkey, address) : address;
    }

    /** Returns whether an address is aligned to eight bytes. */
    static boolean isAligned(long address) {
        return (address & (Long.BYTES - 1)) == 0;
    }

    /** Executes the atomic, with respect to the CPU as well, and returns the value before. */
    static long execute(Packet p, long address) {
        return p.opcode == Opcode.FETCH_ADD
                ? (long) LONGS.getAndAdd(NativeMemory.ALL, address, p.swapAdd)
                : (long) LONGS.compareAndExchange(NativeMemory.ALL, address, p.compare, p.swapAdd);
    }

    /** Executes the ATOMIC WRITE. A reader that sees its value sees the writes before it as well. */
    static void write(Packet p, long address) {
        LONGS.setRelease(NativeMemory.ALL, address, p.swapAdd);
    }
}
