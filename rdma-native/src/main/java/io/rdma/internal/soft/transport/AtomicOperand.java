package io.rdma.internal.soft.transport;

import static io.rdma.internal.ibv.Ibv.ACCESS_REMOTE_ATOMIC;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** The eight bytes that a peer's atomic changes. Device thread. */
final class AtomicOperand {
    private static final VarHandle LONGS = ValueLayout.JAVA_LONG.varHandle();

    private AtomicOperand() {}

    /**
     * Finds the memory.
     *
     * @return address; 0 if the peer may not change that memory, or {@code OnDemandPaging.FAULT}
     */
    static long find(SoftQp qp, Packet p) {
        boolean allowed = (qp.attr.qpAccessFlags() & ACCESS_REMOTE_ATOMIC) != 0;
        long address =
                allowed ? qp.device.keys().remote(qp, p.rkey, p.remoteAddress, Long.BYTES, ACCESS_REMOTE_ATOMIC) : 0;
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
}
