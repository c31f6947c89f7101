package io.rdma.samples.cache;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * An answer of the memory process over TCP. Its frame has the status in one byte, the number in eight, and the content.
 *
 * @param number the version of the slot, or the new value of the counter
 * @param content the value, or the text of a refusal
 */
record TcpAnswer(Status status, long number, byte[] content) {
    /** The outcome of a request. */
    enum Status {
        /** It was executed. */
        DONE,
        /** No slot holds the key. */
        MISSING,
        /** A writer has the slot. The client repeats the request. */
        BUSY,
        /** The request makes no sense. */
        REFUSED,
        /** The memory process cannot do it on this device. */
        UNSUPPORTED
    }

    private static final Status[] STATUSES = Status.values();

    static TcpAnswer done(long number) {
        return new TcpAnswer(Status.DONE, number, new byte[0]);
    }

    static TcpAnswer of(Status status) {
        return new TcpAnswer(status, 0, new byte[0]);
    }

    static TcpAnswer of(Status status, String text) {
        return new TcpAnswer(status, 0, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the content of a refusal. */
    String text() {
        return new String(content, StandardCharsets.UTF_8);
    }

    void encode(ByteBuf frame) {
        frame.writeByte(status.ordinal()).writeLong(number).writeBytes(content);
    }

    /** Reads an answer. Refuses one that is too short, or has no known status. */
    static TcpAnswer decode(ByteBuf frame) {
        int status = TcpFrames.require(frame, Byte.BYTES + Long.BYTES).readUnsignedByte();
        if (status >= STATUSES.length) {
            throw new IllegalArgumentException("there is no status " + status);
        }
        return new TcpAnswer(STATUSES[status], frame.readLong(), TcpFrames.bytes(frame, frame.readableBytes()));
    }
}
