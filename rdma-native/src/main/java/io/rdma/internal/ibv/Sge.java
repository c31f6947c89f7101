package io.rdma.internal.ibv;

/**
 * {@code struct ibv_sge}, {@code ibv_post_send(3)}.
 *
 * <p>Static accessors over the address of one structure; the offsets are those of 64-bit Linux, the same on x86-64 and
 * aarch64.
 */
public final class Sge {
    /** {@code sizeof}. */
    public static final int SIZE = 16;

    static final int ADDR = 0;
    static final int LENGTH = 8;
    static final int LKEY = 12;

    private Sge() {}

    /** Returns the address of the first byte. */
    public static long addr(long address) {
        return NativeMemory.getLong(address, ADDR);
    }

    /** Sets {@link #addr(long)}. */
    public static void addr(long address, long value) {
        NativeMemory.putLong(address, ADDR, value);
    }

    /** Returns the length in bytes, unsigned. */
    public static int length(long address) {
        return NativeMemory.getInt(address, LENGTH);
    }

    /** Sets {@link #length(long)}. */
    public static void length(long address, int value) {
        NativeMemory.putInt(address, LENGTH, value);
    }

    /** Sets {@link #length(long)} and {@link #lkey(long)} by one store. */
    public static void lengthAndLkey(long address, int length, int lkey) {
        NativeMemory.putInts(address, LENGTH, length, lkey);
    }

    /** Returns the local key. */
    public static int lkey(long address) {
        return NativeMemory.getInt(address, LKEY);
    }

    /** Sets {@link #lkey(long)}. */
    public static void lkey(long address, int value) {
        NativeMemory.putInt(address, LKEY, value);
    }
}
