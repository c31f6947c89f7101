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
     * A record at one moment.
     *
     * @param word its word
     * @param content content of the current image; null if the record was never put, or if it was not read
     */
    record Snapshot(RecordWord word, byte @Nullable [] content) {}

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

    /**
     * Reads a record by the word among its bytes, which may be one of several moments.
     *
     * @return null if the images do not prove the word
     */
    @Nullable
    Snapshot decode(int index, MemorySegment record) {
        RecordWord word = word(record);
        long newest = 0;
        boolean blank = true;
        for (int i = 0; i < RecordWord.IMAGES; i++) {
            MemorySegment image = image(record, i);
            newest = Math.max(newest, image.get(LONG, 0));
            blank &= image.get(LONG, 0) == 0 && image.get(LONG, CHECKSUM) == 0;
        }
        if (blank) { // else an image of the first put would be there
            return word.version() == 0 ? new Snapshot(word, null) : null;
        }
        return newest > word.version() + 1 ? null : decode(index, record, word); // only one version is not published
    }

    /**
     * Reads the content that belongs to a word. Trusts nothing: a length counts only after the check.
     *
     * @return null if it is not there
     */
    @Nullable
    Snapshot decode(int index, MemorySegment record, RecordWord word) {
        if (word.version() == 0 || word.current() >= RecordWord.IMAGES) {
            return null;
        }
        MemorySegment image = image(record, word.current());
        int length = image.get(INT, LENGTH);
        if (length < 0
                || length > capacity
                || image.get(LONG, 0) != word.version()
                || image.get(INT, CHECKSUM) != checksum(index, image, length)) {
            return null;
        }
        return new Snapshot(word, image.asSlice(CONTENT, length).toArray(ValueLayout.JAVA_BYTE));
    }

    private MemorySegment image(MemorySegment record, int image) {
        return record.asSlice(WORD + (long) image * image(), image());
    }

    /**
     * Returns the bytes of an image, as long as its content needs.
     *
     * @throws IllegalArgumentException if the content would reach into the next image
     */
    byte[] encode(int index, long version, byte[] content) {
        if (content.length > capacity) {
            throw new IllegalArgumentException("a content of " + content.length + " bytes does not fit into a record"
                    + " of " + capacity + ": allocate the records with more capacity");
        }
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
