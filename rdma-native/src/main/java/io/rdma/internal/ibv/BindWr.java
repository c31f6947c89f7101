package io.rdma.internal.ibv;

/**
 * The member {@code bind_mw} of {@code struct ibv_send_wr}, for {@code IBV_WR_BIND_MW}, {@code ibv_post_send(3)}.
 * Static accessors over the address of the {@link SendWr}.
 */
public final class BindWr {
    public static final int MW = 80;
    public static final int RKEY = 88;
    public static final int MR = 96;
    public static final int ADDR = 104;
    public static final int LENGTH = 112;
    public static final int MW_ACCESS_FLAGS = 120;

    private BindWr() {}

    /** Returns the handle of the window. */
    public static long mw(long address) {
        return NativeMemory.getLong(address, MW);
    }

    /** Sets {@link #mw(long)}. */
    public static void mw(long address, long value) {
        NativeMemory.putLong(address, MW, value);
    }

    /** Returns the window's key after the binding, which differs from the present one in the lowest byte. */
    public static int rkey(long address) {
        return NativeMemory.getInt(address, RKEY);
    }

    /** Sets {@link #rkey(long)}. */
    public static void rkey(long address, int value) {
        NativeMemory.putInt(address, RKEY, value);
    }

    /** Returns the handle of the region. */
    public static long mr(long address) {
        return NativeMemory.getLong(address, MR);
    }

    /** Sets {@link #mr(long)}. */
    public static void mr(long address, long value) {
        NativeMemory.putLong(address, MR, value);
    }

    /** Returns the address of the first byte. */
    public static long addr(long address) {
        return NativeMemory.getLong(address, ADDR);
    }

    /** Sets {@link #addr(long)}. */
    public static void addr(long address, long value) {
        NativeMemory.putLong(address, ADDR, value);
    }

    /** Returns the length in bytes. */
    public static long length(long address) {
        return NativeMemory.getLong(address, LENGTH);
    }

    /** Sets {@link #length(long)}. */
    public static void length(long address, long value) {
        NativeMemory.putLong(address, LENGTH, value);
    }

    /** Returns the rights of the peer, {@code IBV_ACCESS_*}. */
    public static int accessFlags(long address) {
        return NativeMemory.getInt(address, MW_ACCESS_FLAGS);
    }

    /** Sets {@link #accessFlags(long)}. */
    public static void accessFlags(long address, int value) {
        NativeMemory.putInt(address, MW_ACCESS_FLAGS, value);
    }
}
