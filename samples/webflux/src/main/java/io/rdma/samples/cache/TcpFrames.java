package io.rdma.samples.cache;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import reactor.netty.Connection;

/** The frames of the TCP connections: a length of four bytes, and so many bytes of a request or an answer. */
final class TcpFrames {
    /** Limit of the length of a frame. Numbers, key and value fit, and so does the text of a refusal. */
    static final int LONGEST = CacheMemory.LIMIT + 24;

    private TcpFrames() {}

    /** Adds the handlers that make and split frames. A length that is negative or too long ends the connection. */
    static void addTo(Connection connection) {
        int length = Integer.BYTES;
        connection
                .addHandlerLast(new LengthFieldPrepender(length))
                .addHandlerLast(new LengthFieldBasedFrameDecoder(length + LONGEST, 0, length, 0, length));
    }

    /** Returns the frame if it has so many more bytes, and refuses it otherwise. */
    static ByteBuf require(ByteBuf frame, int length) {
        if (frame.readableBytes() < length) {
            throw new IllegalArgumentException(
                    "a frame has " + frame.readableBytes() + " more bytes, " + length + " were expected");
        }
        return frame;
    }

    /** Reads a number of bytes, if the frame has so many. */
    static byte[] bytes(ByteBuf frame, int length) {
        require(frame, length);
        byte[] bytes = new byte[length];
        frame.readBytes(bytes);
        return bytes;
    }
}
