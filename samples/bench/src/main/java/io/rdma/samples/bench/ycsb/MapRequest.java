package io.rdma.samples.bench.ycsb;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;

/**
 * A request to a {@link MapHost}. It is answered by a version, behind which the value of a get is. Version 0 says that
 * there was no value, or none of the expected version.
 *
 * @param kind operation
 * @param key key
 * @param expectedVersion version of a conditional put, otherwise 0
 * @param value value of a put, otherwise empty
 */
record MapRequest(Kind kind, String key, long expectedVersion, byte[] value) {
    private static final Kind[] KINDS = Kind.values();
    private static final byte[] NOTHING = {};

    /** The operations of a store. */
    enum Kind {
        GET,
        PUT,
        PUT_IF,
        REMOVE
    }

    static MapRequest of(Kind kind, byte[] key) {
        return new MapRequest(kind, new String(key, StandardCharsets.UTF_8), 0, NOTHING);
    }

    /** Returns the encoded request, in a buffer that the caller has to release. */
    ByteBuf encode() {
        byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
        int length = Byte.BYTES + Long.BYTES + Short.BYTES + keyBytes.length + value.length;
        return ByteBufAllocator.DEFAULT
                .buffer(length)
                .writeByte(kind.ordinal())
                .writeLong(expectedVersion)
                .writeShort(keyBytes.length)
                .writeBytes(keyBytes)
                .writeBytes(value);
    }

    static MapRequest decode(ByteBuf encoded) {
        Kind kind = KINDS[encoded.readByte()];
        long expectedVersion = encoded.readLong();
        byte[] key = read(encoded, encoded.readUnsignedShort());
        return new MapRequest(
                kind, new String(key, StandardCharsets.UTF_8), expectedVersion, read(encoded, encoded.readableBytes()));
    }

    static byte[] read(ByteBuf source, int length) {
        byte[] bytes = new byte[length];
        source.readBytes(bytes);
        return bytes;
    }
}
