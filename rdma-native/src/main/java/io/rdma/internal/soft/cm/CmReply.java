package io.rdma.internal.soft.cm;

import java.nio.ByteBuffer;

/**
 * The message REP, IB specification volume 1, 12.6.8: the answer to a {@link CmRequest}.
 *
 * @param localId see {@link CmMad}
 * @param remoteId see {@link CmMad}
 * @param qpn queue pair number of the sender
 * @param psn first PSN that the receiver of this message is to use
 * @param responderResources number of incoming reads and atomics of the sender
 * @param initiatorDepth number of outgoing reads and atomics of the sender
 * @param flowControl whether the sender has end-to-end flow control
 * @param rnrRetryCount RNR retry count for the receiver's queue pair
 * @param srq whether the sender has a shared receive queue
 * @param guid GUID of the sender's device
 * @param privateData {@link #PRIVATE_DATA} bytes
 */
@SuppressWarnings("ArrayRecordComponent")
record CmReply(
        int localId,
        int remoteId,
        int qpn,
        int psn,
        int responderResources,
        int initiatorDepth,
        boolean flowControl,
        int rnrRetryCount,
        boolean srq,
        long guid,
        byte[] privateData)
        implements CmMad {
    static final int ATTRIBUTE = 0x13;
    static final int PRIVATE_DATA = 196;
    private static final int PRIVATE_AT = BYTES - PRIVATE_DATA;

    @Override
    public int attribute() {
        return ATTRIBUTE;
    }

    @Override
    public void write(ByteBuffer to) {
        to.putInt(0, localId).putInt(4, remoteId).putInt(12, qpn << 8).putInt(20, psn << 8);
        to.put(24, (byte) responderResources).put(25, (byte) initiatorDepth);
        to.put(26, (byte) (flowControl ? 1 : 0));
        to.put(27, (byte) (rnrRetryCount << 5 | (srq ? 16 : 0)));
        to.putLong(28, guid).put(PRIVATE_AT, privateData);
    }

    static CmReply read(ByteBuffer from) {
        return new CmReply(
                from.getInt(0),
                from.getInt(4),
                from.getInt(12) >>> 8,
                from.getInt(20) >>> 8,
                from.get(24) & 0xff,
                from.get(25) & 0xff,
                (from.get(26) & 1) != 0,
                (from.get(27) & 0xff) >>> 5,
                (from.get(27) & 16) != 0,
                from.getLong(28),
                MadCodec.bytes(from, PRIVATE_AT, PRIVATE_DATA));
    }
}
