package io.rdma.internal.ibv;

/**
 * {@code struct ibv_send_wr}, {@code ibv_post_send(3)}. {@code wr.rdma}, {@code wr.atomic} and {@code wr.ud} share the
 * same bytes, as does the union in C.
 *
 * <p>Static accessors over the address of one structure. The offsets are those of 64-bit Linux, the same on x86-64
 * and aarch64.
 */
public final class SendWr {
    /** {@code sizeof}. */
    public static final int SIZE = 128;

    static final int WR_ID = 0;
    static final int NEXT = 8;
    static final int SG_LIST = 16;
    static final int NUM_SGE = 24;
    static final int OPCODE = 28;
    static final int SEND_FLAGS = 32;
    public static final int IMM_DATA = 36;
    static final int INVALIDATE_RKEY = 36;
    static final int RDMA_REMOTE_ADDR = 40;
    static final int RDMA_RKEY = 48;
    static final int ATOMIC_REMOTE_ADDR = 40;
    static final int ATOMIC_COMPARE_ADD = 48;
    static final int ATOMIC_SWAP = 56;
    static final int ATOMIC_RKEY = 64;
    static final int UD_AH = 40;
    // Not C's: ibv_post_send(3) lacks these operations, for which the extended interface alone reads the structure.
    private static final long FLUSH_TYPE = 52;
    private static final long FLUSH_LENGTH = 56;
    /** Offset of the eight bytes of an atomic write. */
    public static final long ATOMIC_WRITE_VALUE = 56;

    public static final int XRC_REMOTE_SRQN = 72;
    static final int UD_REMOTE_QPN = 48;
    static final int UD_REMOTE_QKEY = 52;

    private SendWr() {}

    /** Returns the {@code wr_id}, which the completion returns. */
    public static long wrId(long address) {
        return NativeMemory.getLong(address, WR_ID);
    }

    /** Sets {@link #wrId(long)}. */
    public static void wrId(long address, long value) {
        NativeMemory.putLong(address, WR_ID, value);
    }

    /** Returns the address of the next request, or 0. */
    public static long next(long address) {
        return NativeMemory.getLong(address, NEXT);
    }

    /** Sets {@link #next(long)}. */
    public static void next(long address, long value) {
        NativeMemory.putLong(address, NEXT, value);
    }

    /** Returns the address of an array of {@link Sge}. */
    public static long sgList(long address) {
        return NativeMemory.getLong(address, SG_LIST);
    }

    /** Sets {@link #sgList(long)}. */
    public static void sgList(long address, long value) {
        NativeMemory.putLong(address, SG_LIST, value);
    }

    /** Returns the number of entries in the array. */
    public static int numSge(long address) {
        return NativeMemory.getInt(address, NUM_SGE);
    }

    /** Sets {@link #numSge(long)}. */
    public static void numSge(long address, int value) {
        NativeMemory.putInt(address, NUM_SGE, value);
    }

    /** Sets {@link #numSge(long)} and {@link #opcode(long)} by one store. */
    public static void numSgeAndOpcode(long address, int numSge, int opcode) {
        NativeMemory.putInts(address, NUM_SGE, numSge, opcode);
    }

    /** Returns the operation, {@code IBV_WR_*}. */
    public static int opcode(long address) {
        return NativeMemory.getInt(address, OPCODE);
    }

    /** Sets {@link #opcode(long)}. */
    public static void opcode(long address, int value) {
        NativeMemory.putInt(address, OPCODE, value);
    }

    /** Returns the flags, {@code IBV_SEND_*}. */
    public static int sendFlags(long address) {
        return NativeMemory.getInt(address, SEND_FLAGS);
    }

    /** Sets {@link #sendFlags(long)}. */
    public static void sendFlags(long address, int value) {
        NativeMemory.putInt(address, SEND_FLAGS, value);
    }

    /**
     * Sets {@link #sendFlags(long)} and the bytes behind it by one store.
     *
     * @param attached immediate data {@linkplain NativeMemory#inNetworkOrder in network order}, or a key
     */
    public static void sendFlagsAndAttached(long address, int flags, int attached) {
        NativeMemory.putInts(address, SEND_FLAGS, flags, attached);
    }

    /** Returns the immediate data. It is in network order in memory and in host order here. */
    public static int immData(long address) {
        return NativeMemory.ALL.get(NativeMemory.INT_BE, address + IMM_DATA);
    }

    /** Sets {@link #immData(long)}. */
    public static void immData(long address, int value) {
        NativeMemory.ALL.set(NativeMemory.INT_BE, address + IMM_DATA, value);
    }

    /** Returns the key to invalidate, which shares its bytes with the immediate data. */
    public static int invalidateRkey(long address) {
        return NativeMemory.getInt(address, INVALIDATE_RKEY);
    }

    /** Returns {@code wr.rdma.remote_addr}. */
    public static long rdmaRemoteAddr(long address) {
        return NativeMemory.getLong(address, RDMA_REMOTE_ADDR);
    }

    /** Sets {@link #rdmaRemoteAddr(long)}. */
    public static void rdmaRemoteAddr(long address, long value) {
        NativeMemory.putLong(address, RDMA_REMOTE_ADDR, value);
    }

    /** Returns {@code wr.rdma.rkey}. */
    public static int rdmaRkey(long address) {
        return NativeMemory.getInt(address, RDMA_RKEY);
    }

    /** Sets {@link #rdmaRkey(long)}. */
    public static void rdmaRkey(long address, int value) {
        NativeMemory.putInt(address, RDMA_RKEY, value);
    }

    /** Returns {@code wr.atomic.remote_addr}. */
    public static long atomicRemoteAddr(long address) {
        return NativeMemory.getLong(address, ATOMIC_REMOTE_ADDR);
    }

    /** Sets {@link #atomicRemoteAddr(long)}. */
    public static void atomicRemoteAddr(long address, long value) {
        NativeMemory.putLong(address, ATOMIC_REMOTE_ADDR, value);
    }

    /** Returns {@code wr.atomic.compare_add}. */
    public static long atomicCompareAdd(long address) {
        return NativeMemory.getLong(address, ATOMIC_COMPARE_ADD);
    }

    /** Sets {@link #atomicCompareAdd(long)}. */
    public static void atomicCompareAdd(long address, long value) {
        NativeMemory.putLong(address, ATOMIC_COMPARE_ADD, value);
    }

    /** Returns {@code wr.atomic.swap}. */
    public static long atomicSwap(long address) {
        return NativeMemory.getLong(address, ATOMIC_SWAP);
    }

    /** Sets {@link #atomicSwap(long)}. */
    public static void atomicSwap(long address, long value) {
        NativeMemory.putLong(address, ATOMIC_SWAP, value);
    }

    /** Returns {@code wr.atomic.rkey}. */
    public static int atomicRkey(long address) {
        return NativeMemory.getInt(address, ATOMIC_RKEY);
    }

    /** Sets {@link #atomicRkey(long)}. */
    public static void atomicRkey(long address, int value) {
        NativeMemory.putInt(address, ATOMIC_RKEY, value);
    }

    /** Returns the placement types of a FLUSH. */
    public static int flushType(long address) {
        return NativeMemory.getInt(address + FLUSH_TYPE) & 0xff;
    }

    /** Returns the selectivity level of a FLUSH. */
    public static int flushLevel(long address) {
        return NativeMemory.getInt(address + FLUSH_TYPE) >> 16 & 0xff;
    }

    /** Returns the length of the range of a FLUSH. */
    public static long flushLength(long address) {
        return NativeMemory.getLong(address + FLUSH_LENGTH);
    }

    /** Sets {@link #flushType}, {@link #flushLevel} and {@link #flushLength}. */
    public static void flush(long address, int type, int level, long length) {
        NativeMemory.putInt(address + FLUSH_TYPE, level << 16 | type);
        NativeMemory.putLong(address + FLUSH_LENGTH, length);
    }

    /** Returns the eight bytes of an atomic write. */
    public static long atomicWriteValue(long address) {
        return NativeMemory.getLong(address + ATOMIC_WRITE_VALUE);
    }

    /** Sets {@link #atomicWriteValue(long)}. */
    public static void atomicWriteValue(long address, long value) {
        NativeMemory.putLong(address + ATOMIC_WRITE_VALUE, value);
    }

    /** Returns {@code wr.ud.ah}. */
    public static long udAh(long address) {
        return NativeMemory.getLong(address, UD_AH);
    }

    /** Sets {@link #udAh(long)}. */
    public static void udAh(long address, long value) {
        NativeMemory.putLong(address, UD_AH, value);
    }

    /** Returns {@code wr.ud.remote_qpn}. */
    public static int udRemoteQpn(long address) {
        return NativeMemory.getInt(address, UD_REMOTE_QPN);
    }

    /** Sets {@link #udRemoteQpn(long)}. */
    public static void udRemoteQpn(long address, int value) {
        NativeMemory.putInt(address, UD_REMOTE_QPN, value);
    }

    /** Returns {@code wr.ud.remote_qkey}. */
    public static int udRemoteQkey(long address) {
        return NativeMemory.getInt(address, UD_REMOTE_QKEY);
    }

    /** Sets {@link #udRemoteQkey(long)}. */
    public static void udRemoteQkey(long address, int value) {
        NativeMemory.putInt(address, UD_REMOTE_QKEY, value);
    }

    /** Returns {@code qp_type.xrc.remote_srqn}. */
    public static int xrcRemoteSrqn(long address) {
        return NativeMemory.getInt(address, XRC_REMOTE_SRQN);
    }

    /** Sets {@link #xrcRemoteSrqn(long)}. */
    public static void xrcRemoteSrqn(long address, int value) {
        NativeMemory.putInt(address, XRC_REMOTE_SRQN, value);
    }
}
