package io.rdma.internal.engine;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.ibv.NativeMemory;

// Invariant: the bytes of the messages are in the buffer from the time when they are added. The table is not.

/** Messages that are collected in one send buffer, to be sent by one SEND. Used by one thread at a time. */
final class MessageBatch {
    /** Most messages of a SEND. */
    static final int MOST_MESSAGES = 128;

    private final int mostBytes;
    private final int mostOfMessage;
    private final int[] lengths;
    private int messages;
    private int end;

    /**
     * Creates an empty batch.
     *
     * @param mostBytes most bytes of the SEND, frame excluded; 0 if messages never travel together
     */
    MessageBatch(int mostBytes) {
        this.mostBytes = mostBytes;
        this.lengths = new int[mostBytes == 0 ? 1 : MOST_MESSAGES];
        this.mostOfMessage = mostBytes / BatchLayout.SHARING;
    }

    /** Returns the number of messages. */
    int messages() {
        return messages;
    }

    /** Returns whether a message is short enough to share a SEND. A longer one is hardly cheaper then. */
    boolean isSmall(int length) {
        return length <= mostOfMessage && mostBytes > 0;
    }

    /** Begins anew, without a message. */
    void begin() {
        messages = 0;
        end = 0;
    }

    /** Begins anew, with a message that is at the start of the buffer already. */
    void begin(int length) {
        begin();
        append(0, length);
    }

    /** Returns whether there is room for another message. */
    boolean fits(int length) {
        return messages < MOST_MESSAGES && BatchLayout.bytes(BatchLayout.next(end) + length, messages + 1) <= mostBytes;
    }

    /**
     * Copies a message behind the others. There must be room for it.
     *
     * @param from address of its first byte
     * @param to address of the buffer
     */
    void copy(long from, int length, long to) {
        int start = BatchLayout.next(end);
        NativeMemory.copy(from, to + start, length);
        append(start, length);
    }

    private void append(int start, int length) {
        end = start + length;
        lengths[messages++] = length;
    }

    /** Completes the SEND: writes the table if there are several messages, and limits the buffer to all. */
    void finish(RegisteredBuffer buffer) {
        if (messages == 1) {
            buffer.limit(end);
        } else {
            BatchLayout.writeTable(buffer.segment(), end, lengths, messages);
            buffer.limit(BatchLayout.bytes(end, messages));
        }
    }
}
