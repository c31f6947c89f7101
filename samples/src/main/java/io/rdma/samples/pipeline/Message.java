package io.rdma.samples.pipeline;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

// Invariant: nothing is read from a message that its length and its first byte do not promise.

/**
 * What flows through a pipeline: blocks, then one end. First byte of a message: which of the two. Numbers are
 * big-endian.
 */
public sealed interface Message {
    /** The stream broke off. */
    String WITHOUT_END = "the stream broke off, without its end: a stage before this one is gone";

    /** Bytes of a block before its samples, and all bytes of an end: kind, number or count, checksum. */
    int HEADER_BYTES = 16;

    /**
     * Samples with their number.
     *
     * @param number blocks before it
     * @param samples what was measured, or, behind the transform, each one's difference to the one before
     */
    record Block(long number, long[] samples) implements Message {}

    /**
     * No more blocks; as its answer, that they have come.
     *
     * @param count blocks
     * @param checksum CRC-32C of all samples as they were measured
     */
    record End(long count, int checksum) implements Message {
        @Override
        public String toString() {
            return String.format("%d blocks, checksum %08x", count, checksum);
        }
    }

    /**
     * Reads a message, all of it.
     *
     * @param message as received
     * @return a copy
     * @throws IllegalArgumentException if it is none
     */
    static Message decode(MemorySegment message) {
        long bytes = message.byteSize();
        byte kind = bytes < HEADER_BYTES ? 0 : message.get(ValueLayout.JAVA_BYTE, 0);
        if (kind == Layout.BLOCK && (bytes - HEADER_BYTES) % Long.BYTES == 0) {
            long[] samples = new long[(int) ((bytes - HEADER_BYTES) / Long.BYTES)];
            MemorySegment.copy(message, Layout.LONG, HEADER_BYTES, samples, 0, samples.length);
            return new Block(message.get(Layout.LONG, Layout.NUMBER), samples);
        }
        if (kind == Layout.END && bytes == HEADER_BYTES) {
            return new End(message.get(Layout.LONG, Layout.NUMBER), message.get(Layout.INT, Layout.CHECKSUM));
        }
        throw new IllegalArgumentException(bytes + " bytes that are no message of a pipeline: is that peer a stage?");
    }

    /**
     * Takes it for the answer to an end, which is an end.
     *
     * @return itself
     * @throws IllegalArgumentException if it is none
     */
    default End answer() {
        if (this instanceof End end) {
            return end;
        }
        throw new IllegalArgumentException("a block where an end has to come: is that peer a stage?");
    }

    /**
     * Writes it.
     *
     * @param target a send buffer
     * @return bytes; negative if they do not fit
     */
    default int encode(MemorySegment target) {
        return switch (this) {
            case Block block -> encode(block, target);
            case End end -> {
                begin(target, Layout.END, end.count);
                target.set(Layout.INT, Layout.CHECKSUM, end.checksum);
                yield HEADER_BYTES;
            }
        };
    }

    private static int encode(Block block, MemorySegment target) {
        int bytes = bytes(block.samples.length);
        if (bytes > target.byteSize()) {
            return -bytes;
        }
        begin(target, Layout.BLOCK, block.number);
        MemorySegment.copy(block.samples, 0, target, Layout.LONG, HEADER_BYTES, block.samples.length);
        return bytes;
    }

    private static void begin(MemorySegment target, byte kind, long number) {
        target.asSlice(0, HEADER_BYTES).fill((byte) 0);
        target.set(ValueLayout.JAVA_BYTE, 0, kind);
        target.set(Layout.LONG, Layout.NUMBER, number);
    }

    /**
     * How long a block is.
     *
     * @param samples in it
     * @return bytes
     */
    static int bytes(int samples) {
        return HEADER_BYTES + samples * Long.BYTES;
    }

    /** Where things are in a message. */
    final class Layout {
        private static final byte BLOCK = 1;
        private static final byte END = 2;
        private static final int CHECKSUM = 4;
        private static final int NUMBER = 8;
        private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
        private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

        private Layout() {}
    }
}
