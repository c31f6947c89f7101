package io.rdma.internal.soft.wire;

/** Syndromes of the ACK extended transport header, IB specification volume 1, tables 43 to 45. */
public final class Aeth {
    /** ACK without end-to-end credits: the credit count 31 means "no limit given". */
    public static final int ACK = 0x1f;

    public static final int RNR = 0x20;
    public static final int NAK_SEQUENCE = 0x60;
    public static final int NAK_INVALID_REQUEST = 0x61;
    public static final int NAK_REMOTE_ACCESS = 0x62;
    public static final int NAK_REMOTE_OPERATION = 0x63;

    private static final int[] RNR_MICROS_X100 = {
        65536000, 1000, 2000, 3000, 4000, 6000, 8000, 12000, 16000, 24000, 32000, 48000, 64000, 96000, 128000, 192000,
        256000, 384000, 512000, 768000, 1024000, 1536000, 2048000, 3072000, 4096000, 6144000, 8192000, 12288000,
        16384000, 24576000, 32768000, 49152000
    };

    private Aeth() {}

    public static boolean isAck(int syndrome) {
        return (syndrome & 0xe0) == 0;
    }

    public static boolean isRnr(int syndrome) {
        return (syndrome & 0xe0) == RNR;
    }

    /** Returns the time to wait that an RNR NAK requests. */
    public static long rnrNanos(int syndrome) {
        return RNR_MICROS_X100[syndrome & 31] * 10L;
    }
}
