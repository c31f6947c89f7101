package io.rdma.internal.ibv;

/**
 * Constants of the memory placement extensions, IB specification volume 1, annex A19. Those of {@code IBV_*} are in
 * {@code infiniband/verbs.h} from rdma-core 45 on, which is newer than the headers that {@link Ibv} is compared with.
 */
public final class MemoryPlacement {
    /** {@code IBV_ACCESS_FLUSH_GLOBAL}. */
    public static final int ACCESS_FLUSH_GLOBAL = 1 << 8;
    /** {@code IBV_ACCESS_FLUSH_PERSISTENT}. */
    public static final int ACCESS_FLUSH_PERSISTENT = 1 << 9;
    /** Both rights. */
    public static final int ACCESS_FLUSHES = ACCESS_FLUSH_GLOBAL | ACCESS_FLUSH_PERSISTENT;

    /** {@code IB_UVERBS_DEVICE_FLUSH_GLOBAL}, one of the capabilities that are not in the lower 32 bits. */
    public static final long DEVICE_FLUSH_GLOBAL = 1L << 38;
    /** {@code IB_UVERBS_DEVICE_FLUSH_PERSISTENT}. */
    public static final long DEVICE_FLUSH_PERSISTENT = 1L << 39;
    /** {@code IB_UVERBS_DEVICE_ATOMIC_WRITE}. */
    public static final long DEVICE_ATOMIC_WRITE = 1L << 40;

    /** {@code IBV_WR_FLUSH}. */
    public static final int WR_FLUSH = 14;
    /** Bits of the two operations, {@code 1 << IBV_WR_*}. */
    public static final int WR_BITS = 1 << WR_FLUSH | 1 << Ibv.WR_ATOMIC_WRITE;
    /** {@code IBV_WC_FLUSH}. */
    public static final int WC_FLUSH = 8;
    /** {@code IBV_QP_EX_WITH_FLUSH}. */
    public static final int QP_EX_WITH_FLUSH = 1 << 11;

    /** {@code IBV_FLUSH_GLOBAL}, a placement type. */
    public static final int FLUSH_GLOBAL = 1;
    /** {@code IBV_FLUSH_PERSISTENT}, a placement type. */
    public static final int FLUSH_PERSISTENT = 1 << 1;

    /** {@code IBV_FLUSH_RANGE}, a selectivity level. */
    public static final int FLUSH_RANGE = 0;
    /** {@code IBV_FLUSH_MR}, a selectivity level. */
    public static final int FLUSH_MR = 1;

    /** Most bytes of a FLUSH of a range: those of a message, IB specification volume 1, C9-94. */
    public static final long LONGEST_FLUSH = 1L << 31;

    /** Bytes of an atomic write, on a boundary of as many. */
    public static final int ATOMIC_WRITE_BYTES = Long.BYTES;

    private MemoryPlacement() {}

    /** Returns whether an operation, {@code IBV_WR_*}, is one of the two. */
    public static boolean isPlacement(int opcode) {
        return opcode == WR_FLUSH || opcode == Ibv.WR_ATOMIC_WRITE;
    }

    /** Returns the rights, {@code IBV_ACCESS_*}, that a FLUSH with some placement types needs. */
    public static int access(int types) {
        return ((types & FLUSH_GLOBAL) != 0 ? ACCESS_FLUSH_GLOBAL : 0)
                | ((types & FLUSH_PERSISTENT) != 0 ? ACCESS_FLUSH_PERSISTENT : 0);
    }
}
