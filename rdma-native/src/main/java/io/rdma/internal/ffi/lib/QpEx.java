package io.rdma.internal.ffi.lib;

/**
 * The layout of {@code struct ibv_qp_ex}: offsets from the end of the {@code struct ibv_qp} that it begins with,
 * whose mutex differs in size by architecture. A function pointer is null if the queue pair was not created for
 * that operation.
 */
final class QpEx {
    static final long BASE = base(System.getProperty("os.arch"));

    static final int COMP_MASK = 0;
    static final int WR_ID = 8;
    static final int WR_FLAGS = 16;
    static final int WR_ATOMIC_CMP_SWP = 24;
    static final int WR_ATOMIC_FETCH_ADD = 32;
    static final int WR_BIND_MW = 40;
    static final int WR_LOCAL_INV = 48;
    static final int WR_RDMA_READ = 56;
    static final int WR_RDMA_WRITE = 64;
    static final int WR_RDMA_WRITE_IMM = 72;
    static final int WR_SEND = 80;
    static final int WR_SEND_IMM = 88;
    static final int WR_SEND_INV = 96;
    static final int WR_SET_UD_ADDR = 112;
    static final int WR_SET_XRC_SRQN = 120;
    static final int WR_SET_INLINE_DATA = 128;
    static final int WR_SET_SGE = 144;
    static final int WR_SET_SGE_LIST = 152;
    static final int WR_START = 160;
    static final int WR_COMPLETE = 168;
    static final int WR_ABORT = 176;
    // Behind this, providers of older releases have other fields: see FfmExtended.
    static final int WR_ATOMIC_WRITE = 184; // since rdma-core 44
    static final long WR_FLUSH = 192; // since rdma-core 45; not an int, which a test compares with older headers

    private static final long QP_MUTEX = 64;
    private static final long COND_AND_COUNT = 48 + 8;

    private QpEx() {}

    /** Returns {@code offsetof(struct ibv_qp_ex, comp_mask)}. */
    static long base(String architecture) {
        return QP_MUTEX + ProviderCalls.mutexBytes(architecture) + COND_AND_COUNT;
    }
}
