package io.rdma.samples.demo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32;

/**
 * The protocol between the two processes of the demo. The client sends, in the order of a run: data messages (sequence
 * number, bytes derived from it, CRC-32), one FINISH, then a CHECK after each round of writes. The server sends the
 * location of the region once. It answers FINISH and CHECK by two longs: the number of messages, or of written blocks,
 * and how many of them were wrong.
 */
final class DemoProtocol {
    static final byte DATA = 1;
    static final byte FINISH = 2;
    static final byte CHECK = 3;

    /**
     * Number of lanes of concurrent writes and reads. Each lane has blocks of its own in the region: its n-th write
     * goes to its block n modulo SLOTS.
     */
    static final int LANES = 16;

    static final int SLOTS = 64;
    static final int BLOCK = 4096;
    /** Offset of the counter for atomics in the region; the blocks of all lanes precede it. */
    static final int COUNTER_OFFSET = LANES * SLOTS * BLOCK;

    static final int REGION_BYTES = COUNTER_OFFSET + Long.BYTES;
    static final int MAX_MESSAGE = 8192;
    static final int ANSWER_BYTES = 2 * Long.BYTES;
    static final int CHECK_BYTES = 1 + Integer.BYTES;
    private static final int HEADER = 1 + Long.BYTES;
    private static final int CRC_BYTES = Integer.BYTES;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private DemoProtocol() {}

    /** Returns the length of the n-th data message. Most are small; every 64th is as large as a buffer. */
    static int length(long sequence) {
        return sequence % 64 == 63 ? MAX_MESSAGE : HEADER + CRC_BYTES + (int) (sequence % 100);
    }

    static int encodeData(long sequence, MemorySegment target) {
        int length = length(sequence);
        target.set(ValueLayout.JAVA_BYTE, 0, DATA);
        target.set(LONG, 1, sequence);
        fill(target.asSlice(HEADER, length - HEADER - CRC_BYTES), sequence);
        target.set(INT, length - CRC_BYTES, crc(target.asSlice(0, length - CRC_BYTES)));
        return length;
    }

    /** Returns whether a message is exactly the data message of a sequence number. */
    static boolean isData(MemorySegment message, long sequence) {
        int length = (int) message.byteSize();
        return length == length(sequence)
                && message.get(ValueLayout.JAVA_BYTE, 0) == DATA
                && message.get(LONG, 1) == sequence
                && isFilled(message.asSlice(HEADER, length - HEADER - CRC_BYTES), sequence)
                && message.get(INT, length - CRC_BYTES) == crc(message.asSlice(0, length - CRC_BYTES));
    }

    static byte type(MemorySegment message) {
        return message.byteSize() == 0 ? 0 : message.get(ValueLayout.JAVA_BYTE, 0);
    }

    static void encodeFinish(MemorySegment target) {
        target.set(ValueLayout.JAVA_BYTE, 0, FINISH);
    }

    static void encodeCheck(int writtenPerLane, MemorySegment target) {
        target.set(ValueLayout.JAVA_BYTE, 0, CHECK);
        target.set(INT, 1, writtenPerLane);
    }

    static int decodeCheck(MemorySegment message) {
        int written = message.byteSize() == CHECK_BYTES ? message.get(INT, 1) : -1;
        if (written < 0) {
            throw new IllegalArgumentException("the client of the demo sent an invalid CHECK message");
        }
        return written;
    }

    /** Returns the offset in the region to which the n-th write of a lane goes. */
    static long offset(int lane, int n) {
        return (long) (lane * SLOTS + n % SLOTS) * BLOCK;
    }

    /** Returns the seed of the n-th write of a lane, see {@link #fill}. */
    static long seed(int lane, int n) {
        return 1 + lane + 1009L * n;
    }

    /** Returns how many of the blocks written last, up to SLOTS of each lane, have wrong content. */
    static long wrongBlocks(MemorySegment region, int writtenPerLane) {
        long wrong = 0;
        for (int lane = 0; lane < LANES; lane++) {
            for (int n = Math.max(0, writtenPerLane - SLOTS); n < writtenPerLane; n++) {
                wrong += isFilled(region.asSlice(offset(lane, n), BLOCK), seed(lane, n)) ? 0 : 1;
            }
        }
        return wrong;
    }

    static void encodeAnswer(MemorySegment target, long first, long second) {
        target.set(LONG, 0, first);
        target.set(LONG, Long.BYTES, second);
    }

    static long[] decodeAnswer(MemorySegment message) {
        return new long[] {message.get(LONG, 0), message.get(LONG, Long.BYTES)};
    }

    /** Fills memory with bytes derived from a seed, so that every block differs. */
    static void fill(MemorySegment memory, long seed) {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (seed * 31 + i * 7));
        }
    }

    static boolean isFilled(MemorySegment memory, long seed) {
        for (long i = 0; i < memory.byteSize(); i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, i) != (byte) (seed * 31 + i * 7)) {
                return false;
            }
        }
        return true;
    }

    private static int crc(MemorySegment memory) {
        CRC32 crc = new CRC32();
        crc.update(memory.asByteBuffer());
        return (int) crc.getValue();
    }
}
