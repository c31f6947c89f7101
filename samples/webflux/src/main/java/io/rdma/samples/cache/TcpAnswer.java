package io.rdma.samples.cache;

import io.netty.buffer.ByteBuf;
import io.rdma.structures.StructureException;
import java.nio.charset.StandardCharsets;

/**
 * An answer of the memory process over TCP. Its frame has the status in one byte, the number in eight, and the content.
 *
 * @param number the version of the value, the new value of the counter, or the reason of a failure
 * @param content the value, or the text of a refusal or failure
 */
record TcpAnswer(Status status, long number, byte[] content) {
    /** The outcome of a request. */
    enum Status {
        /** It was executed. */
        DONE,
        /** There is no value. */
        MISSING,
        /** The request makes no sense. */
        REFUSED,
        /** The table or the counters failed. */
        FAILED
    }

    private static final Status[] STATUSES = Status.values();
    private static final StructureException.Reason[] REASONS = StructureException.Reason.values();

    static TcpAnswer done(long number) {
        return new TcpAnswer(Status.DONE, number, new byte[0]);
    }

    static TcpAnswer missing() {
        return new TcpAnswer(Status.MISSING, 0, new byte[0]);
    }

    static TcpAnswer refused(RuntimeException e) {
        return new TcpAnswer(Status.REFUSED, 0, bytes(e));
    }

    static TcpAnswer failed(StructureException e) {
        return new TcpAnswer(Status.FAILED, e.reason().ordinal(), bytes(e));
    }

    private static byte[] bytes(RuntimeException e) {
        return String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the error of a request that was refused or failed. */
    RuntimeException error() {
        String text = new String(content, StandardCharsets.UTF_8);
        return status == Status.FAILED
                ? new StructureException(REASONS[(int) number], text)
                : new IllegalArgumentException(text);
    }

    void encode(ByteBuf frame) {
        frame.writeByte(status.ordinal()).writeLong(number).writeBytes(content);
    }

    /** Reads an answer. Refuses one that is too short, or has no known status or reason. */
    static TcpAnswer decode(ByteBuf frame) {
        int status = TcpFrames.require(frame, Byte.BYTES + Long.BYTES).readUnsignedByte();
        long number = frame.readLong();
        if (status >= STATUSES.length) {
            throw new IllegalArgumentException("there is no status " + status);
        }
        if (STATUSES[status] == Status.FAILED && (number < 0 || number >= REASONS.length)) {
            throw new IllegalArgumentException("there is no reason " + number);
        }
        return new TcpAnswer(STATUSES[status], number, TcpFrames.bytes(frame, frame.readableBytes()));
    }
}
