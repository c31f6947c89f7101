package io.rdma.samples.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

// The layout, in the byte order of the hosts, which is the same on both sides:
//
//     0  word: version << 16 | owner; owner 0 means that the slot is free
//     8  CRC32C of version, lengths, key and value
//    12  length of the key, length of the value
//    20  key, value
//  1016  version once more
//
// A reader takes the whole slot by one RDMA READ. No specification states the order in which a device reads the bytes
// of a READ. The version at both ends therefore detects most reads that overlap a write, and the checksum detects all.

/** The layout of a slot: 1 KiB of the memory process, with room for one key and its value. */
final class Slot {
    static final int BYTES = 1024;
    static final int OWNERS = 1 << 16;

    /** Offset of the body, which a writer writes while it holds the word: all bytes after the word. */
    static final int BODY = 8;

    private static final int CHECKSUM = 8;
    private static final int KEY_LENGTH = 12;
    private static final int VALUE_LENGTH = 16;
    private static final int CONTENT = 20;
    private static final int VERSION_AGAIN = BYTES - Long.BYTES;

    /** Limit of the length of a key and its value together, in bytes. */
    static final int CAPACITY = VERSION_AGAIN - CONTENT;

    /** Access to the word by a CPU. */
    static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private Slot() {}

    /** The result of a read. */
    sealed interface Content {
        /** The slot is being written, or was written during the read. */
        record Torn() implements Content {}

        /** The slot does not hold the key. */
        record Missing() implements Content {}

        /** The value, with the version of its slot. */
        record Found(long version, byte[] value) implements Content {}
    }

    static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    /** Refuses a key that is empty, or fits into no slot. The empty key is that of a slot without a value. */
    static byte[] requireKey(byte[] key) {
        if (key.length == 0) {
            throw new IllegalArgumentException("the key is empty");
        }
        requireRoom(key, new byte[0]);
        return key;
    }

    /** Refuses a key and a value for which a slot has no room. */
    static void requireRoom(byte[] key, byte[] value) {
        if (key.length + value.length > CAPACITY) {
            throw new IllegalArgumentException("a key of " + key.length + " bytes and a value of " + value.length
                    + " bytes do not fit into the " + CAPACITY + " bytes of a slot");
        }
    }

    /**
     * Returns the index of a key's slot among a number of slots, which is a power of two. Keys with the same slot
     * displace each other.
     */
    static long index(byte[] key, long slots) {
        CRC32C hash = new CRC32C();
        hash.update(key);
        return hash.getValue() & slots - 1;
    }

    static long free(long version) {
        return version << 16;
    }

    static boolean isFree(long word) {
        return owner(word) == 0;
    }

    static int owner(long word) {
        return (int) (word & OWNERS - 1);
    }

    static long version(long word) {
        return word >>> 16;
    }

    /**
     * Writes the body, that is, everything after the word.
     *
     * @param body the slot's bytes from {@link #BODY} on
     */
    static void encode(MemorySegment body, long version, byte[] key, byte[] value) {
        requireRoom(key, value);
        body.set(INT, KEY_LENGTH - BODY, key.length);
        body.set(INT, VALUE_LENGTH - BODY, value.length);
        body.asSlice(CONTENT - BODY, key.length).copyFrom(MemorySegment.ofArray(key));
        body.asSlice(CONTENT - BODY + key.length, value.length).copyFrom(MemorySegment.ofArray(value));
        body.set(INT, CHECKSUM - BODY, checksum(body, version, key.length + value.length));
        body.set(LONG, VERSION_AGAIN - BODY, version);
    }

    /** Looks for a key in a slot that was read. Checks each length before using it. */
    static Content decode(MemorySegment slot, byte[] key) {
        long word = slot.get(LONG, 0);
        long version = version(word);
        if (!isFree(word)) {
            return new Content.Torn();
        }
        if (version == 0) {
            return new Content.Missing(); // never written
        }
        int keyLength = slot.get(INT, KEY_LENGTH);
        int valueLength = slot.get(INT, VALUE_LENGTH);
        boolean possible = keyLength >= 0 && valueLength >= 0 && (long) keyLength + valueLength <= CAPACITY;
        if (!possible
                || slot.get(LONG, VERSION_AGAIN) != version
                || slot.get(INT, CHECKSUM) != checksum(slot.asSlice(BODY), version, keyLength + valueLength)) {
            return new Content.Torn();
        }
        byte[] value = of(slot, key, keyLength, valueLength);
        return value == null ? new Content.Missing() : new Content.Found(version, value);
    }

    private static byte @Nullable [] of(MemorySegment slot, byte[] key, int keyLength, int valueLength) {
        byte[] there = slot.asSlice(CONTENT, keyLength).toArray(ValueLayout.JAVA_BYTE);
        return Arrays.equals(there, key)
                ? slot.asSlice(CONTENT + keyLength, valueLength).toArray(ValueLayout.JAVA_BYTE)
                : null;
    }

    private static int checksum(MemorySegment body, long version, int content) {
        CRC32C sum = new CRC32C();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            sum.update((int) (version >>> shift));
        }
        sum.update(
                body.asSlice(KEY_LENGTH - BODY, CONTENT - KEY_LENGTH + content).asByteBuffer());
        return (int) sum.getValue();
    }
}
