package io.rdma.internal.structures;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

// Invariants
// - Positions only grow. The place of a position is its remainder. An entry has its position, plus 1, so bytes of an
// earlier round, or none, are never taken for it.
// - An entry lies in one piece and at a multiple of 16. Where it does not fit before the end, a filler does, which has
// the rest.

/**
 * Places in a ring, and the codec of its entries. An entry has its position plus 1 (8 bytes), its length (4; -1 for a
 * filler), a CRC32C of position, length and bytes (4), and the bytes, little-endian. Before the entries is the word of
 * the consumer: the position of the first entry that is not taken (8), a CRC32C of that (4), and zeros (4).
 */
record RingLayout(long consumer, int capacity) {
    /** Bytes of an entry besides its content, and the unit of places. */
    static final int HEAD = 16;

    static final int CONSUMER = 2 * Long.BYTES;
    private static final int FILLER = -1;
    private static final int LENGTH = 8;
    private static final int CHECKSUM = 12;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Returns whether a ring may have so many bytes: room for entries, in units of places. */
    static boolean isPossible(int capacity) {
        return capacity >= 4 * HEAD && capacity % HEAD == 0;
    }

    long end() {
        return consumer + CONSUMER + capacity;
    }

    /** Returns the largest entry. With a filler before it, it always fits into an empty ring. */
    int maxEntry() {
        return capacity / 2 - HEAD;
    }

    /** Returns the room that an entry takes. */
    static int room(int length) {
        return HEAD + Math.ceilDiv(length, HEAD) * HEAD;
    }

    long offset(long position) {
        return consumer + CONSUMER + position % capacity;
    }

    /** Returns the bytes from a position to the end of the round. */
    int rest(long position) {
        return (int) (capacity - position % capacity);
    }

    byte[] encode(long position, byte[] content) {
        byte[] bytes = new byte[HEAD + content.length];
        System.arraycopy(content, 0, bytes, HEAD, content.length);
        return seal(bytes, position, content.length);
    }

    byte[] filler(long position) {
        return seal(new byte[HEAD], position, FILLER);
    }

    private static byte[] seal(byte[] bytes, long position, int length) {
        MemorySegment entry = MemorySegment.ofArray(bytes);
        entry.set(LONG, 0, position + 1);
        entry.set(INT, LENGTH, length);
        entry.set(INT, CHECKSUM, checksum(entry));
        return bytes;
    }

    /** What is at a position: the bytes of an entry, or null for a filler, and the room that it takes. */
    record Found(byte @Nullable [] content, int room) {}

    /**
     * Reads the entry at a position.
     *
     * @return null if it is not there completely, or never will be
     */
    @Nullable
    Found decode(MemorySegment memory, long position) {
        VarHandle.fullFence(); // the bytes are read here, not taken from an earlier look
        MemorySegment rest = memory.asSlice(offset(position), rest(position));
        if (rest.get(LONG, 0) != position + 1) {
            return null;
        }
        int length = rest.get(INT, LENGTH);
        if (length != FILLER && (length < 0 || length > maxEntry() || room(length) > rest.byteSize())) {
            return null;
        }
        int bytes = length == FILLER ? HEAD : HEAD + length;
        MemorySegment copy = MemorySegment.ofArray(rest.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE));
        boolean whole = copy.get(LONG, 0) == position + 1
                && copy.get(INT, LENGTH) == length
                && copy.get(INT, CHECKSUM) == checksum(copy);
        if (!whole) {
            return null;
        }
        return length == FILLER
                ? new Found(null, rest(position))
                : new Found(copy.asSlice(HEAD).toArray(ValueLayout.JAVA_BYTE), room(length));
    }

    private static int checksum(MemorySegment entry) {
        CRC32C sum = new CRC32C();
        sum.update(entry.asSlice(0, CHECKSUM).asByteBuffer());
        sum.update(entry.asSlice(HEAD).asByteBuffer());
        return (int) sum.getValue();
    }

    /** Writes the word of the consumer, behind all reads of what it has taken. */
    void taken(MemorySegment memory, long position) {
        VarHandle.fullFence();
        MemorySegment word = memory.asSlice(consumer, CONSUMER);
        word.set(LONG, 0, position);
        word.set(INT, Long.BYTES, checksumOfPosition(word));
    }

    /** Reads the word of the consumer; -1 if its bytes are not of one moment. */
    static long taken(MemorySegment word) {
        return word.get(INT, Long.BYTES) == checksumOfPosition(word) ? word.get(LONG, 0) : -1;
    }

    /** A copy would not do: bytes of two moments may agree with those of a copy of two moments. */
    private static int checksumOfPosition(MemorySegment word) {
        CRC32C sum = new CRC32C();
        sum.update(word.asSlice(0, Long.BYTES).asByteBuffer());
        return (int) sum.getValue();
    }
}
