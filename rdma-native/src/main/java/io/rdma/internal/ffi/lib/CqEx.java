package io.rdma.internal.ffi.lib;

/**
 * The layout of {@code struct ibv_cq_ex}: offsets from the end of the part that it shares with {@code struct ibv_cq},
 * whose mutex differs in size by architecture. A function pointer is null if the queue was not created for that read.
 */
final class CqEx {
    static final long BASE = base(System.getProperty("os.arch"));

    static final int COMP_MASK = 0;
    static final int STATUS = 4;
    static final int WR_ID = 8;
    static final int START_POLL = 16;
    static final int NEXT_POLL = 24;
    static final int END_POLL = 32;
    static final int READ_OPCODE = 40;
    static final int READ_VENDOR_ERR = 48;
    static final int READ_BYTE_LEN = 56;
    static final int READ_IMM_DATA = 64;
    static final int READ_QP_NUM = 72;
    static final int READ_SRC_QP = 80;
    static final int READ_WC_FLAGS = 88;
    static final int READ_SLID = 96;
    static final int READ_SL = 104;
    static final int READ_DLID_PATH_BITS = 112;
    static final int READ_COMPLETION_TS = 120;
    static final int READ_COMPLETION_WALLCLOCK_NS = 152;

    private static final long CQ_MUTEX = 32;
    private static final long COND_AND_COUNTS = 48 + 8;

    private CqEx() {}

    /** Returns {@code offsetof(struct ibv_cq_ex, comp_mask)}. */
    static long base(String architecture) {
        return CQ_MUTEX + ProviderCalls.mutexBytes(architecture) + COND_AND_COUNTS;
    }
}
