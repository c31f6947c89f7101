package io.rdma.internal.soft.cm;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The message REJ, IB specification volume 1, 12.6.7.
 *
 * @param localId see {@link CmMad}
 * @param remoteId see {@link CmMad}
 * @param about kind of the rejected message
 * @param reason table 108 of the specification
 * @param information additional information about the reason, at most {@link #INFORMATION} bytes
 * @param privateData {@link #PRIVATE_DATA} bytes
 */
@SuppressWarnings("ArrayRecordComponent")
record CmReject(int localId, int remoteId, int about, int reason, byte[] information, byte[] privateData)
        implements CmMad {
    static final int ATTRIBUTE = 0x12;
    static final int PRIVATE_DATA = 148;
    static final int INFORMATION = 72;

    /** Reasons. */
    static final int TIMEOUT = 4;

    static final int INVALID_SERVICE_ID = 8;
    static final int INVALID_TRANSPORT = 9;
    static final int STALE_CONNECTION = 10;
    static final int INVALID_MTU = 26;
    static final int CONSUMER = 28;

    private static final byte[] NOTHING = {};
    private static final int INFORMATION_AT = 12;
    private static final int PRIVATE_AT = BYTES - PRIVATE_DATA;

    /** Creates a rejection without information and private data. */
    static CmReject of(int localId, int remoteId, int about, int reason) {
        return new CmReject(localId, remoteId, about, reason, NOTHING, NOTHING);
    }

    @Override
    public int attribute() {
        return ATTRIBUTE;
    }

    @Override
    public void write(ByteBuffer to) {
        to.putInt(0, localId).putInt(4, remoteId).put(8, (byte) (about << 6));
        to.put(9, (byte) (information.length << 1)).putShort(10, (short) reason);
        to.put(INFORMATION_AT, information).put(PRIVATE_AT, privateData);
    }

    static CmReject read(ByteBuffer from) {
        int length = Math.min(INFORMATION, (from.get(9) & 0xff) >>> 1);
        return new CmReject(
                from.getInt(0),
                from.getInt(4),
                (from.get(8) & 0xff) >>> 6,
                Short.toUnsignedInt(from.getShort(10)),
                length == 0 ? NOTHING : MadCodec.bytes(from, INFORMATION_AT, length),
                MadCodec.bytes(from, PRIVATE_AT, PRIVATE_DATA));
    }

    /** Returns this rejection with private data, padded to its full size. */
    CmReject saying(byte[] data) {
        return new CmReject(localId, remoteId, about, reason, information, Arrays.copyOf(data, PRIVATE_DATA));
    }
}
