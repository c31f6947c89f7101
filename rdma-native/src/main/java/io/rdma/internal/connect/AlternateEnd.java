package io.rdma.internal.connect;

import io.rdma.types.Gid;
import java.nio.ByteBuffer;

/**
 * One side's end of the alternate path of a connection, as it tells its peer. On the wire it has 18 bytes, big-endian.
 *
 * @param gid address from which the alternate path starts
 * @param lid LID of its port, 0 on Ethernet
 */
record AlternateEnd(Gid gid, int lid) {
    private static final int GID_BYTES = 16;
    static final int BYTES = GID_BYTES + Short.BYTES;

    void encode(ByteBuffer to) {
        to.put(gid.bytes()).putShort((short) lid);
    }

    static AlternateEnd decode(ByteBuffer from) {
        byte[] gid = new byte[GID_BYTES];
        from.get(gid);
        return new AlternateEnd(Gid.of(gid), Short.toUnsignedInt(from.getShort()));
    }
}
