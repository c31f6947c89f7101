package io.rdma.internal.engine;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

// docs/internals/protocol.md, "Small messages". The payload of a frame of type BATCH begins with the messages, each on
// an 8-byte boundary. A table of their lengths follows on a 4-byte boundary, u32 each, big-endian. The frame has the
// number of messages. The first message is where it would be if it were alone.

/** Layout of a SEND that carries several small messages. */
final class BatchLayout {
    /** Most bytes of a SEND, frame excluded: with the frame one packet of the largest MTU. */
    static final int MOST_BYTES = 4096 - Frame.BYTES;

    /** Fewest bytes of a SEND that are worth being shared. */
    static final int LEAST_BYTES = 1024;

    /** A small message takes at most this part of a SEND: a quarter. */
    static final int SHARING = 4;

    private static final int ALIGNMENT = 8;
    private static final int ENTRY = Integer.BYTES;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private BatchLayout() {}

    /**
     * Returns the offset of the message behind another one.
     *
     * @param end of the message before
     */
    static int next(int end) {
        return aligned(end, ALIGNMENT);
    }

    /**
     * Returns the length of the payload.
     *
     * @param end of the last message
     * @param messages their number
     */
    static int bytes(int end, int messages) {
        return aligned(end, ENTRY) + messages * ENTRY;
    }

    private static int aligned(int offset, int to) {
        return (offset + to - 1) & -to;
    }

    /** Writes the table behind the last message. */
    static void writeTable(MemorySegment memory, int end, int[] lengths, int messages) {
        long at = aligned(end, ENTRY);
        for (int i = 0; i < messages; i++, at += ENTRY) {
            memory.set(INT, at, lengths[i]);
        }
    }

    /**
     * Returns the length of a message, as the sender wrote it.
     *
     * @param bytes length of the payload, at least that of the table
     * @param messages their number
     * @param index of the message, from 0
     */
    static int length(MemorySegment memory, int bytes, int messages, int index) {
        return memory.get(INT, bytes - (long) (messages - index) * ENTRY);
    }

    /**
     * Returns whether a payload from the peer has this layout: at least one message, each within the bytes before the
     * table, no gap, and no more bytes than a SEND may have.
     *
     * @param memory with the payload at its start; at least {@code bytes} long
     * @param bytes length of the payload
     * @param messages their number, as the peer told it
     */
    static boolean isValid(MemorySegment memory, int bytes, int messages) {
        int table = bytes - messages * ENTRY; // at most 65,535 messages: no overflow
        if (messages == 0 || table < 0 || bytes > MOST_BYTES) {
            return false;
        }
        int end = 0;
        for (int i = 0; i < messages; i++) {
            int start = next(end);
            int length = length(memory, bytes, messages, i);
            if (length < 0 || start > table || length > table - start) {
                return false;
            }
            end = start + length;
        }
        return aligned(end, ENTRY) == table;
    }
}
