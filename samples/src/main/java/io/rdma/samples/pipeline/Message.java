package io.rdma.samples.pipeline;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

// Invariant: decoding reads only bytes whose presence the length and the first byte of the message guarantee.

/**
 * A message of a pipeline. A stream consists of blocks and then one end. The first byte of a message is its kind.
 * Numbers are big-endian.
 */
public sealed interface Message {
    /** Error text for a stream that broke off. */
    String WITHOUT_END = "the stream ended without its end message: another stage has failed";

    /** Size of a block before its samples, and of a whole end, in bytes: kind, number or count, checksum. */
    int HEADER_BYTES = 16;

    /**
     * A block of samples.
     *
     * @param number of blocks before it
     * @param samples the measured values; after the transform, the difference of each to the one before
     */
    record Block(long number, long[] samples) implements Message {}

    /**
     * The end of the stream. As an answer, it confirms that all blocks have arrived.
     *
     * @param count of blocks
     * @param checksum CRC-32C of all samples as they were measured
     */
    record End(long count, int checksum) implements Message {
        @Override
        public String toString() {
            return String.format("%d blocks, checksum %08x", count, checksum);
        }
    }

    /**
     * Decodes a message completely.
     *
     * @param message as received
     * @return a copy
     * @throws IllegalArgumentException if the bytes are not a message
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
        throw new IllegalArgumentException(bytes + " bytes are not a message of a pipeline: is that peer a stage?");
    }

    /**
     * Returns this message as an answer. Only an end can be one.
     *
     * @return this message
     * @throws IllegalArgumentException if it is not an end
     */
    default End answer() {
        if (this instanceof End end) {
            return end;
        }
        throw new IllegalArgumentException("expected an end, but received a block: is that peer a stage?");
    }

    /**
     * Encodes the message.
     *
     * @param target a send buffer
     * @return number of bytes; negative if they do not fit
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
     * Returns the length of a block.
     *
     * @param samples number of samples in it
     * @return bytes
     */
    static int bytes(int samples) {
        return HEADER_BYTES + samples * Long.BYTES;
    }

    /** The layout of a message. */
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
