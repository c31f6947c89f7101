package io.rdma.samples.cache;

import io.netty.buffer.ByteBuf;

// The bytes of a frame, in network byte order:
//
//     get     0, key
//     put     1, expected version in eight bytes, length of the key in two, key, value
//     add     2, counter in four bytes, addend in eight
//     remove  3, expected version in eight bytes, key

/** A request to the memory process over TCP. */
sealed interface TcpRequest {
    byte GET = 0;
    byte PUT = 1;
    byte ADD = 2;
    byte REMOVE = 3;

    /** The request of a value. */
    record Get(byte[] key) implements TcpRequest {}

    /** The request to store a value. */
    record Put(byte[] key, byte[] value, long expected) implements TcpRequest {}

    /** The request to add to a counter. */
    record Add(int counter, long addend) implements TcpRequest {}

    /** The request to remove a value. */
    record Remove(byte[] key, long expected) implements TcpRequest {}

    default void encode(ByteBuf frame) {
        switch (this) {
            case Get get -> frame.writeByte(GET).writeBytes(get.key());
            case Put put ->
                frame.writeByte(PUT)
                        .writeLong(put.expected())
                        .writeShort(put.key().length)
                        .writeBytes(put.key())
                        .writeBytes(put.value());
            case Add add -> frame.writeByte(ADD).writeInt(add.counter()).writeLong(add.addend());
            case Remove remove ->
                frame.writeByte(REMOVE).writeLong(remove.expected()).writeBytes(remove.key());
        }
    }

    /** Reads a request. Refuses one that is shorter than it says. */
    static TcpRequest decode(ByteBuf frame) {
        byte operation = TcpFrames.require(frame, Byte.BYTES).readByte();
        return switch (operation) {
            case GET -> new Get(TcpFrames.bytes(frame, frame.readableBytes()));
            case PUT -> {
                TcpFrames.require(frame, Long.BYTES + Short.BYTES);
                long expected = frame.readLong();
                byte[] key = TcpFrames.bytes(frame, frame.readUnsignedShort());
                yield new Put(key, TcpFrames.bytes(frame, frame.readableBytes()), expected);
            }
            case ADD -> {
                TcpFrames.require(frame, Integer.BYTES + Long.BYTES);
                yield new Add(frame.readInt(), frame.readLong());
            }
            case REMOVE -> {
                long expected = TcpFrames.require(frame, Long.BYTES).readLong();
                yield new Remove(TcpFrames.bytes(frame, frame.readableBytes()), expected);
            }
            default -> throw new IllegalArgumentException("there is no operation " + operation);
        };
    }
}
