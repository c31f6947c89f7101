package io.rdma.internal.structures;

import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.TableOptions;
import io.rdma.structures.VersionedValue;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a bucket, as the content of its record: for each entry its version (8 bytes), the length of its key
 * (2) and of its value (4), key and value, little-endian.
 */
final class Bucket {
    /** The largest length of a key. */
    static final int MAX_KEY = (1 << 16) - 1;

    private record Entry(long version, byte[] key, byte[] value) {
        int bytes() {
            return TableOptions.ENTRY_BYTES + key.length + value.length;
        }
    }

    private final List<Entry> entries = new ArrayList<>(); // in the order of their puts

    /**
     * Reads a bucket.
     *
     * @param content content of its record, or null for an empty one
     * @throws StructureException CORRUPT
     */
    Bucket(byte @Nullable [] content) {
        ByteBuffer rest =
                ByteBuffer.wrap(content == null ? new byte[0] : content).order(ByteOrder.LITTLE_ENDIAN);
        while (rest.hasRemaining()) {
            require(rest, TableOptions.ENTRY_BYTES);
            long version = rest.getLong();
            int key = Short.toUnsignedInt(rest.getShort());
            int value = rest.getInt();
            entries.add(new Entry(version, bytes(rest, key), bytes(rest, value)));
        }
    }

    private static byte[] bytes(ByteBuffer rest, int length) {
        require(rest, length);
        byte[] bytes = new byte[length];
        rest.get(bytes);
        return bytes;
    }

    private static void require(ByteBuffer rest, int bytes) {
        if (bytes < 0 || bytes > rest.remaining()) {
            throw new StructureException(
                    Reason.CORRUPT,
                    "an entry of a bucket is said to have " + bytes + " bytes, " + rest.remaining()
                            + " are left: a client does not use this library, so admit trusted clients only");
        }
    }

    /** Returns the value of a key; null if there is none. */
    @Nullable
    VersionedValue get(byte[] key) {
        Entry entry = find(key);
        return entry == null ? null : new VersionedValue(entry.version(), entry.value());
    }

    private @Nullable Entry find(byte[] key) {
        for (Entry entry : entries) {
            if (Arrays.equals(entry.key(), key)) {
                return entry;
            }
        }
        return null;
    }

    /** Returns the version of a key's value; 0 if there is none. */
    long version(byte[] key) {
        Entry entry = find(key);
        return entry == null ? 0 : entry.version();
    }

    /**
     * Puts an entry in place of the one of the same key.
     *
     * @param room bytes for all entries
     * @param displacing whether the entries that were put the longest ago make room
     * @throws StructureException FULL
     */
    void put(byte[] key, byte[] value, long version, int room, boolean displacing) {
        remove(key);
        Entry fresh = new Entry(version, key, value);
        int used = bytes();
        if (!displacing && used + fresh.bytes() > room) {
            throw new StructureException(
                    Reason.FULL,
                    "the bucket of the key has " + used + " of " + room + " bytes in use, the entry needs "
                            + fresh.bytes() + ": remove keys, or allocate the table with more or larger buckets");
        }
        int displaced = 0;
        while (used + fresh.bytes() > room) {
            used -= entries.get(displaced++).bytes();
        }
        entries.subList(0, displaced).clear();
        entries.add(fresh);
    }

    /** Removes the entry of a key, if there is one. */
    boolean remove(byte[] key) {
        return entries.removeIf(entry -> Arrays.equals(entry.key(), key));
    }

    private int bytes() {
        return entries.stream().mapToInt(Entry::bytes).sum();
    }

    byte[] encode() {
        ByteBuffer content = ByteBuffer.allocate(bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (Entry entry : entries) {
            content.putLong(entry.version())
                    .putShort((short) entry.key().length)
                    .putInt(entry.value().length)
                    .put(entry.key())
                    .put(entry.value());
        }
        return content.array();
    }
}
