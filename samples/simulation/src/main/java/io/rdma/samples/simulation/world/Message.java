package io.rdma.samples.simulation.world;

import io.rdma.buffer.ReceivedMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Message of a run.
 *
 * @param session number of the session that sends or receives it
 * @param index place in its direction
 * @param length in bytes
 * @param intact whether the bytes behind the header are those that were sent
 */
public record Message(int session, int index, int length, boolean intact) {
    private static final int HEADER = 8;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /**
     * What one side sends.
     *
     * @param session number of the session
     * @param count number of messages
     * @param longest bytes of the longest
     * @param stream whether a publisher is sent, or one message after the other
     * @param elsewhere whether the publisher emits on threads of its own
     */
    public record Stream(int session, int count, int longest, boolean stream, boolean elsewhere) {
        int bytes(int index) {
            return HEADER + (index * 7919 + session) % longest;
        }

        /** Writes a message into memory of its length. */
        void write(int index, MemorySegment memory) {
            memory.set(INT, 0, session);
            memory.set(INT, 4, index);
            for (int i = HEADER; i < memory.byteSize(); i++) {
                memory.set(ValueLayout.JAVA_BYTE, i, pattern(session, index, i));
            }
        }
    }

    /** Decodes a message. */
    static Message read(ReceivedMessage message) {
        MemorySegment memory = message.segment();
        int session = memory.get(INT, 0);
        int index = memory.get(INT, 4);
        boolean intact = true;
        for (int i = HEADER; i < memory.byteSize(); i++) {
            intact &= memory.get(ValueLayout.JAVA_BYTE, i) == pattern(session, index, i);
        }
        return new Message(session, index, (int) memory.byteSize(), intact);
    }

    private static byte pattern(int session, int index, int at) {
        return (byte) (index * 31 + at * 7 + session);
    }
}
