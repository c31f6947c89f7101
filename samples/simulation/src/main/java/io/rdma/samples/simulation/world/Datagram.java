package io.rdma.samples.simulation.world;

import io.rdma.buffer.ReceivedDatagram;
import io.rdma.verbs.DatagramAddress;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Datagram of a run, as it arrived.
 *
 * @param number that the run gave it
 * @param length in bytes
 * @param intact whether the bytes behind the number, and the immediate data, are those that were sent
 * @param source address of its sender
 */
record Datagram(int number, int length, boolean intact, DatagramAddress source) {
    static final int HEADER = 4;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** How a datagram is sent. */
    enum Kind {
        /** A writer puts it into a buffer. */
        WRITTEN,
        /** It is in a buffer that the sender acquired. */
        BUFFER,
        /** As {@link #BUFFER}, with its number as immediate data. */
        IMMEDIATE;

        static Kind of(int number) {
            return values()[number % values().length];
        }
    }

    static void write(int number, MemorySegment memory) {
        memory.set(INT, 0, number);
        for (int i = HEADER; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, pattern(number, i));
        }
    }

    static Datagram read(ReceivedDatagram datagram) {
        MemorySegment memory = datagram.segment();
        if (memory.byteSize() < HEADER) {
            return new Datagram(-1, (int) memory.byteSize(), false, datagram.source());
        }
        int number = memory.get(INT, 0);
        boolean immediate = number >= 0 && Kind.of(number) == Kind.IMMEDIATE;
        boolean intact = datagram.hasImmediate() == immediate && (!immediate || datagram.immediate() == number);
        for (int i = HEADER; i < memory.byteSize(); i++) {
            intact &= memory.get(ValueLayout.JAVA_BYTE, i) == pattern(number, i);
        }
        return new Datagram(number, (int) memory.byteSize(), intact, datagram.source());
    }

    private static byte pattern(int number, int at) {
        return (byte) (number * 31 + at * 7);
    }
}
