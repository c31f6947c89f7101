package io.rdma.internal.soft.cm;

import java.nio.ByteBuffer;

/**
 * The message SIDR_REQ, IB specification volume 1, 12.11.1: the look-up of the queue pair of a datagram service.
 *
 * @param localId see {@link CmMad}
 * @param service service ID to look up
 * @param privateData {@link #PRIVATE_DATA} bytes
 */
@SuppressWarnings("ArrayRecordComponent")
record CmLookup(int localId, long service, byte[] privateData) implements CmMad {
    static final int ATTRIBUTE = 0x17;
    static final int PRIVATE_DATA = 216;
    private static final int PRIVATE_AT = BYTES - PRIVATE_DATA;
    private static final int PKEY = 0xffff;

    @Override
    public int attribute() {
        return ATTRIBUTE;
    }

    @Override
    public int remoteId() {
        return 0;
    }

    @Override
    public void write(ByteBuffer to) {
        to.putInt(0, localId).putShort(4, (short) PKEY).putLong(8, service).put(PRIVATE_AT, privateData);
    }

    static CmLookup read(ByteBuffer from) {
        return new CmLookup(from.getInt(0), from.getLong(8), MadCodec.bytes(from, PRIVATE_AT, PRIVATE_DATA));
    }
}
