package io.rdma.internal.soft.cm;

import java.nio.ByteBuffer;

/**
 * The message SIDR_REP, IB specification volume 1, 12.11.2: the answer to a {@link CmLookup}.
 *
 * @param remoteId conversation number of the asking side
 * @param status 0, or the reason why there is no queue pair
 * @param qpn queue pair number of the service
 * @param service service ID that was looked up
 * @param qkey QKey of the service
 * @param privateData {@link #PRIVATE_DATA} bytes
 */
@SuppressWarnings("ArrayRecordComponent")
record CmLookupReply(int remoteId, int status, int qpn, long service, int qkey, byte[] privateData) implements CmMad {
    static final int ATTRIBUTE = 0x18;
    static final int PRIVATE_DATA = 136;
    static final int VALID = 0;
    static final int UNSUPPORTED = 1;
    static final int REJECT = 2;
    private static final int PRIVATE_AT = BYTES - PRIVATE_DATA;

    @Override
    public int attribute() {
        return ATTRIBUTE;
    }

    @Override
    public int localId() {
        return 0;
    }

    @Override
    public void write(ByteBuffer to) {
        to.putInt(0, remoteId)
                .put(4, (byte) status)
                .putInt(8, qpn << 8)
                .putLong(12, service)
                .putInt(20, qkey);
        to.put(PRIVATE_AT, privateData);
    }

    static CmLookupReply read(ByteBuffer from) {
        return new CmLookupReply(
                from.getInt(0),
                from.get(4) & 0xff,
                from.getInt(8) >>> 8,
                from.getLong(12),
                from.getInt(20),
                MadCodec.bytes(from, PRIVATE_AT, PRIVATE_DATA));
    }
}
