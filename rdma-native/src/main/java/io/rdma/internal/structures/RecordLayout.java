package io.rdma.internal.structures;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Places of the records in their memory, and the codec of a record. A record is its word and three images. An image is
 * a version (8 bytes), a CRC32C (4), a length (4) and that many bytes, little-endian. The checksum covers the index of
 * the record, version, length and bytes.
 */
record RecordLayout(long first, int count, int capacity) {
    static final int WORD = Long.BYTES;

    private static final int LINE = 64;
    private static final int CHECKSUM = 8;
    private static final int LENGTH = 12;
    private static final int CONTENT = 16;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /**
     * A record as one read found it.
     *
     * @param word its word
     * @param content content of the current image; null if there is none, or if the bytes are not of one moment
     */
    record Snapshot(RecordWord word, byte @Nullable [] content) {
        boolean isTorn() {
            return content == null && word.version() != 0;
        }
    }

    private int image() {
        return CONTENT + Math.ceilDiv(capacity, Long.BYTES) * Long.BYTES;
    }

    /** Returns the bytes that one READ of a record fetches. */
    int bytes() {
        return WORD + RecordWord.IMAGES * image();
    }

    private long stride() {
        return (long) Math.ceilDiv(bytes(), LINE) * LINE;
    }

    /** Returns the bytes from the beginning of the memory to the end of the last record. */
    long end() {
        return first + count * stride();
    }

    /** Returns the offset of a record, which is that of its word. */
    long offset(int index) {
        return first + index * stride();
    }

    /** Returns the offset of an image of a record. */
    long offset(int index, int image) {
        return offset(index) + WORD + (long) image * image();
    }

    static RecordWord word(MemorySegment record) {
        return new RecordWord(record.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)); // in the byte order of atomics
    }

    /** Reads a record. Trusts nothing in it: a length counts only after the check. */
    Snapshot decode(int index, MemorySegment record) {
        RecordWord word = word(record);
        if (word.version() == 0 || word.current() >= RecordWord.IMAGES) {
            return new Snapshot(word, null);
        }
        MemorySegment image = record.asSlice(WORD + (long) word.current() * image(), image());
        int length = image.get(INT, LENGTH);
        if (length < 0
                || length > capacity
                || image.get(LONG, 0) != word.version()
                || image.get(INT, CHECKSUM) != checksum(index, image, length)) {
            return new Snapshot(word, null);
        }
        return new Snapshot(word, image.asSlice(CONTENT, length).toArray(ValueLayout.JAVA_BYTE));
    }

    /** Returns the bytes of an image, as long as its content needs. */
    byte[] encode(int index, long version, byte[] content) {
        byte[] bytes = new byte[CONTENT + content.length];
        MemorySegment image = MemorySegment.ofArray(bytes);
        image.set(LONG, 0, version);
        image.set(INT, LENGTH, content.length);
        MemorySegment.copy(content, 0, image, ValueLayout.JAVA_BYTE, CONTENT, content.length);
        image.set(INT, CHECKSUM, checksum(index, image, content.length));
        return bytes;
    }

    private static int checksum(int index, MemorySegment image, int length) {
        CRC32C sum = new CRC32C();
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            sum.update(index >>> shift);
        }
        sum.update(image.asSlice(0, CHECKSUM).asByteBuffer());
        sum.update(image.asSlice(LENGTH, CONTENT - LENGTH + length).asByteBuffer());
        return (int) sum.getValue();
    }
}
