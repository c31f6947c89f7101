package io.rdma.samples.simulation.world;

import io.rdma.buffer.ReceivedMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Message of a run.
 *
 * @param client number of the client that sends or receives it
 * @param index place in its direction
 * @param length in bytes
 * @param intact whether the bytes behind the header are those that were sent
 */
record Message(int client, int index, int length, boolean intact) {
    private static final int HEADER = 8;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /**
     * What one side sends.
     *
     * @param client number of the client
     * @param count number of messages
     * @param longest bytes of the longest
     * @param stream whether a publisher is sent, or one message after the other
     */
    record Stream(int client, int count, int longest, boolean stream) {
        int bytes(int index) {
            return HEADER + (index * 7919 + client) % longest;
        }

        /** Writes a message into memory of its length. */
        void write(int index, MemorySegment memory) {
            memory.set(INT, 0, client);
            memory.set(INT, 4, index);
            for (int i = HEADER; i < memory.byteSize(); i++) {
                memory.set(ValueLayout.JAVA_BYTE, i, pattern(client, index, i));
            }
        }
    }

    /** Decodes a message. */
    static Message read(ReceivedMessage message) {
        MemorySegment memory = message.segment();
        int client = memory.get(INT, 0);
        int index = memory.get(INT, 4);
        boolean intact = true;
        for (int i = HEADER; i < memory.byteSize(); i++) {
            intact &= memory.get(ValueLayout.JAVA_BYTE, i) == pattern(client, index, i);
        }
        return new Message(client, index, (int) memory.byteSize(), intact);
    }

    private static byte pattern(int client, int index, int at) {
        return (byte) (index * 31 + at * 7 + client);
    }
}
