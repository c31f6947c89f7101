package io.rdma.internal.ibv;

/**
 * {@code struct ibv_wc}, {@code ibv_poll_cq(3)}. If the status is not success, only {@code wrId}, {@code status},
 * {@code qpNum} and {@code vendorErr} are valid.
 *
 * <p>Static accessors over the address of one structure. The offsets are those of 64-bit Linux, the same on x86-64
 * and aarch64.
 */
public final class Wc {
    /** {@code sizeof}. */
    public static final int SIZE = 48;

    static final int WR_ID = 0;
    static final int STATUS = 8;
    static final int OPCODE = 12;
    static final int VENDOR_ERR = 16;
    static final int BYTE_LEN = 20;
    public static final int IMM_DATA = 24;
    static final int INVALIDATED_RKEY = 24;
    static final int QP_NUM = 28;
    static final int SRC_QP = 32;
    static final int WC_FLAGS = 36;
    static final int PKEY_INDEX = 40;
    static final int SLID = 42;
    static final int SL = 44;
    static final int DLID_PATH_BITS = 45;

    private Wc() {}

    /** Returns the {@code wr_id} of the work request. */
    public static long wrId(long address) {
        return NativeMemory.getLong(address, WR_ID);
    }

    /** Sets {@link #wrId(long)}. */
    public static void wrId(long address, long value) {
        NativeMemory.putLong(address, WR_ID, value);
    }

    /** Returns the status, {@code IBV_WC_*}. */
    public static int status(long address) {
        return NativeMemory.getInt(address, STATUS);
    }

    /** Sets {@link #status(long)}. */
    public static void status(long address, int value) {
        NativeMemory.putInt(address, STATUS, value);
    }

    /** Returns the operation, {@code IBV_WC_*}; undefined on failure. */
    public static int opcode(long address) {
        return NativeMemory.getInt(address, OPCODE);
    }

    /** Sets {@link #opcode(long)}. */
    public static void opcode(long address, int value) {
        NativeMemory.putInt(address, OPCODE, value);
    }

    /** Returns the vendor's error code. */
    public static int vendorErr(long address) {
        return NativeMemory.getInt(address, VENDOR_ERR);
    }

    /** Sets {@link #vendorErr(long)}. */
    public static void vendorErr(long address, int value) {
        NativeMemory.putInt(address, VENDOR_ERR, value);
    }

    /** Returns the number of bytes received, read or fetched; undefined for sends and on failure. */
    public static int byteLen(long address) {
        return NativeMemory.getInt(address, BYTE_LEN);
    }

    /** Sets {@link #byteLen(long)}. */
    public static void byteLen(long address, int value) {
        NativeMemory.putInt(address, BYTE_LEN, value);
    }

    /** Returns the immediate data. It is in network order in memory and in host order here. */
    public static int immData(long address) {
        return NativeMemory.ALL.get(NativeMemory.INT_BE, address + IMM_DATA);
    }

    /** Sets {@link #immData(long)}. */
    public static void immData(long address, int value) {
        NativeMemory.ALL.set(NativeMemory.INT_BE, address + IMM_DATA, value);
    }

    /** Returns the key that the peer invalidated, which shares its bytes with the immediate data. */
    public static int invalidatedRkey(long address) {
        return NativeMemory.getInt(address, INVALIDATED_RKEY);
    }

    /** Sets {@link #invalidatedRkey(long)}. */
    public static void invalidatedRkey(long address, int value) {
        NativeMemory.putInt(address, INVALIDATED_RKEY, value);
    }

    /** Returns the number of the local queue pair. */
    public static int qpNum(long address) {
        return NativeMemory.getInt(address, QP_NUM);
    }

    /** Sets {@link #qpNum(long)}. */
    public static void qpNum(long address, int value) {
        NativeMemory.putInt(address, QP_NUM, value);
    }

    /** Returns the number of the remote queue pair; datagrams only. */
    public static int srcQp(long address) {
        return NativeMemory.getInt(address, SRC_QP);
    }

    /** Sets {@link #srcQp(long)}. */
    public static void srcQp(long address, int value) {
        NativeMemory.putInt(address, SRC_QP, value);
    }

    /** Returns the flags, {@code IBV_WC_GRH}, {@code IBV_WC_WITH_IMM}, {@code IBV_WC_WITH_INV}. */
    public static int wcFlags(long address) {
        return NativeMemory.getInt(address, WC_FLAGS);
    }

    /** Sets {@link #wcFlags(long)}. */
    public static void wcFlags(long address, int value) {
        NativeMemory.putInt(address, WC_FLAGS, value);
    }

    /** Returns the partition index of a datagram. */
    public static int pkeyIndex(long address) {
        return NativeMemory.getShort(address, PKEY_INDEX) & 0xffff;
    }

    /** Sets {@link #pkeyIndex(long)}. */
    public static void pkeyIndex(long address, int value) {
        NativeMemory.putShort(address, PKEY_INDEX, (short) value);
    }

    /** Returns the source LID of a datagram. */
    public static int slid(long address) {
        return NativeMemory.getShort(address, SLID) & 0xffff;
    }

    /** Sets {@link #slid(long)}. */
    public static void slid(long address, int value) {
        NativeMemory.putShort(address, SLID, (short) value);
    }

    /** Returns the service level of a datagram. */
    public static int sl(long address) {
        return NativeMemory.getByte(address, SL) & 0xff;
    }

    /** Sets {@link #sl(long)}. */
    public static void sl(long address, int value) {
        NativeMemory.putByte(address, SL, (byte) value);
    }

    /** Returns the path bits of a datagram's destination LID. */
    public static int dlidPathBits(long address) {
        return NativeMemory.getByte(address, DLID_PATH_BITS) & 0xff;
    }

    /** Sets {@link #dlidPathBits(long)}. */
    public static void dlidPathBits(long address, int value) {
        NativeMemory.putByte(address, DLID_PATH_BITS, (byte) value);
    }
}
