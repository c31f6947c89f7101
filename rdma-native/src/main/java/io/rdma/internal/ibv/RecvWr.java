package io.rdma.internal.ibv;

/**
 * {@code struct ibv_recv_wr}, {@code ibv_post_recv(3)}.
 *
 * <p>Static accessors over the address of one structure; the offsets are those of 64-bit Linux, the same on x86-64 and
 * aarch64.
 */
public final class RecvWr {
    /** {@code sizeof}. */
    public static final int SIZE = 32;

    static final int WR_ID = 0;
    static final int NEXT = 8;
    static final int SG_LIST = 16;
    static final int NUM_SGE = 24;

    private RecvWr() {}

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
}
