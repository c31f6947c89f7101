package io.rdma.internal.engine;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

// docs/internals/protocol.md: 16 bytes, big-endian: type u8, a byte zero, number of messages u16 (of a batch, else
// zero), messages granted u32, control frames granted u32, large messages fetched u32.

/** Header in front of the payload of every message between two peers of this library that count credits. */
final class Frame {
    static final int BYTES = 16;

    /** A message of the application. */
    static final int DATA = 0;
    /** Credits only, without payload. */
    static final int CREDIT = 1;

    /** Announcement of a large message, whose memory the peer then reads. */
    static final int ANNOUNCEMENT = 2;

    /** Orderly end: the sender of the frame has sent all its messages. */
    static final int BYE = 3;

    /** End for another reason: the messages that the sender of the frame sent are not complete. */
    static final int ABORT = 4;

    /** Several messages of the application, see {@link BatchLayout}. */
    static final int BATCH = 5;

    private static final long TYPE = 0;
    private static final long MESSAGES = 2;
    private static final long GRANTED = 4;
    private static final long GRANTED_CONTROL = 8;
    private static final long FETCHED = 12;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private Frame() {}

    /**
     * Writes a frame.
     *
     * @param messages their number in a batch, else 0
     */
    static void write(
            MemorySegment memory, long at, int type, int messages, int granted, int grantedControl, int fetched) {
        memory.set(INT, at + TYPE, type << 24 | messages); // one store for three fields
        memory.set(INT, at + GRANTED, granted);
        memory.set(INT, at + GRANTED_CONTROL, grantedControl);
        memory.set(INT, at + FETCHED, fetched);
    }

    static int type(MemorySegment memory, long at) {
        return memory.get(ValueLayout.JAVA_BYTE, at + TYPE);
    }

    static int messages(MemorySegment memory, long at) {
        return Short.toUnsignedInt(memory.get(SHORT, at + MESSAGES));
    }

    static int granted(MemorySegment memory, long at) {
        return memory.get(INT, at + GRANTED);
    }

    static int grantedControl(MemorySegment memory, long at) {
        return memory.get(INT, at + GRANTED_CONTROL);
    }

    static int fetched(MemorySegment memory, long at) {
        return memory.get(INT, at + FETCHED);
    }
}
