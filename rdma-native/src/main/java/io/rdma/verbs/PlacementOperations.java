package io.rdma.verbs;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.MemoryPlacement;
import io.rdma.types.Errno;
import io.rdma.types.PostingInterface;
import io.rdma.types.VerbsException;
import java.util.function.LongFunction;

// Invariant: a queue pair is created for an operation only if the device announces it and the provider accepts it. So
// its function pointer, which older providers do not have in their structure, is read only where it exists.

/**
 * The operations of the memory placement extensions, IB specification volume 1, annex A19, that a device supports. The
 * kernel announces them, but the provider of an older rdma-core lacks them and then refuses the queue pair.
 */
final class PlacementOperations {
    private static final long NOT_ASKED = -1;

    private final Verbs verbs;
    private final long context;
    private volatile long supported = NOT_ASKED; // IBV_QP_EX_WITH_*

    PlacementOperations(Verbs verbs, long context) {
        this.verbs = verbs;
        this.context = context;
    }

    /**
     * Creates an object for the operations of a type and for those of the extensions that the provider accepts.
     *
     * @param posting with {@code BOTH}, the classic interface if the provider accepts none of the extensions
     * @param creation gets {@code IBV_QP_EX_WITH_*}; 0 for the classic interface
     * @return what it created
     */
    <T> Made<T> create(QueuePairType type, PostingInterface posting, LongFunction<T> creation) {
        long wanted = posting != PostingInterface.CLASSIC && type.hasPlacement() ? supported() : 0;
        while (true) {
            boolean extended = posting == PostingInterface.EXTENDED || wanted != 0;
            try {
                T made = creation.apply(extended ? type.sendOps() | wanted : 0);
                if (type == QueuePairType.RC && posting != PostingInterface.CLASSIC) {
                    supported = wanted; // not what one type is refused: rdma_rxe has no extended XRC
                }
                return new Made<>(made, extended, type.operationBits() | operations(wanted));
            } catch (VerbsException e) { // of a type that the device lacks, too: then all attempts fail
                if (wanted == 0 || e.errno() != Errno.EOPNOTSUPP && e.errno() != Errno.ENOSYS) {
                    throw e;
                }
            }
            wanted = fewer(wanted);
        }
    }

    /**
     * Outcome of {@link #create}.
     *
     * @param object what was created
     * @param extended whether for the extended interface
     * @param operations that can be posted, bits of {@code WorkRequestOpcode.bit}
     */
    record Made<T>(T object, boolean extended, int operations) {}

    /** Returns {@code IBV_QP_EX_WITH_*} of the operations that the device announces, without those once refused. */
    private long supported() {
        long now = supported;
        if (now == NOT_ASKED) {
            long flags = verbs.memory().queryDeviceEx(context).deviceCapFlagsEx();
            boolean flushes =
                    (flags & (MemoryPlacement.DEVICE_FLUSH_GLOBAL | MemoryPlacement.DEVICE_FLUSH_PERSISTENT)) != 0;
            boolean writes = (flags & MemoryPlacement.DEVICE_ATOMIC_WRITE) != 0;
            now = (flushes ? MemoryPlacement.QP_EX_WITH_FLUSH : 0) | (writes ? Ibv.QP_EX_WITH_ATOMIC_WRITE : 0);
            supported = now;
        }
        return now;
    }

    /** Returns the next smaller set. FLUSH is the newer operation in rdma-core. */
    private static long fewer(long wanted) {
        return (wanted & MemoryPlacement.QP_EX_WITH_FLUSH) != 0 ? wanted & ~MemoryPlacement.QP_EX_WITH_FLUSH : 0;
    }

    private static int operations(long sendOps) {
        return ((sendOps & MemoryPlacement.QP_EX_WITH_FLUSH) != 0 ? 1 << MemoryPlacement.WR_FLUSH : 0)
                | ((sendOps & Ibv.QP_EX_WITH_ATOMIC_WRITE) != 0 ? 1 << Ibv.WR_ATOMIC_WRITE : 0);
    }
}
