package io.rdma.internal.structures;

import io.rdma.structures.StructureException;
import io.rdma.structures.TableOptions;
import io.rdma.structures.VersionedValue;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

// Invariant: all entries of a key are in one bucket, so a key has at most one entry, and a put or remove is one new
// version of one record.

/** A table, as one client uses it. Thread-safe. */
public final class TableClient {
    private final StructureAccess access;
    private final StructureHeader header;
    private final RecordLayout layout;
    private final int writer;

    TableClient(StructureAccess access, StructureHeader header, int writer) {
        this.access = access;
        this.header = header;
        this.layout = header.records();
        this.writer = writer;
    }

    /** Returns the largest sum of the lengths of a key and its value. */
    public int capacity() {
        return Math.max(0, layout.capacity() - TableOptions.ENTRY_BYTES);
    }

    private int bucket(byte[] key) {
        CRC32C hash = new CRC32C();
        hash.update(key);
        return (int) (hash.getValue() * layout.count() >>> Integer.SIZE);
    }

    /**
     * Gets the value of a key, null if there is none.
     *
     * @throws IllegalArgumentException if the key is empty, or fits into no bucket
     */
    public StructureCall<VersionedValue> get(byte[] key, StructureCall.Outcome<? super VersionedValue> outcome) {
        byte[] name = checked(key, 0);
        return new ReadCall<VersionedValue>(
                        access, layout, bucket(name), found -> new Bucket(found.content()).get(name), outcome)
                .start();
    }

    /**
     * Puts the value of a key.
     *
     * @throws IllegalArgumentException if the key is empty, or fits with its value into no bucket
     */
    public StructureCall<Long> put(byte[] key, byte[] value, StructureCall.Outcome<? super Long> outcome) {
        return put(key, value, null, outcome);
    }

    /**
     * Puts the value of a key, if that has a version.
     *
     * @param expected version that is replaced, 0 for no value; null for any
     * @throws IllegalArgumentException if the key is empty, or fits with its value into no bucket
     */
    public StructureCall<Long> put(
            byte[] key, byte[] value, @Nullable Long expected, StructureCall.Outcome<? super Long> outcome) {
        byte[] name = checked(key, value.length);
        byte[] content = value.clone();
        boolean displacing = (header.flags() & StructureHeader.DISPLACING) != 0;
        return update(
                name,
                (version, next, old) -> {
                    Bucket bucket = new Bucket(old);
                    requireVersion(expected, bucket.version(name));
                    bucket.put(name, content, next, layout.capacity(), displacing);
                    return bucket.encode();
                },
                outcome);
    }

    /**
     * Removes a key. The result is null if it has no value.
     *
     * @param expected version of the value; null for any
     * @throws IllegalArgumentException if the key is empty, or fits into no bucket
     */
    public StructureCall<Long> remove(
            byte[] key, @Nullable Long expected, StructureCall.Outcome<? super Long> outcome) {
        byte[] name = checked(key, 0);
        return update(
                name,
                (version, next, old) -> {
                    Bucket bucket = new Bucket(old);
                    requireVersion(expected, bucket.version(name));
                    return bucket.remove(name) ? bucket.encode() : null;
                },
                outcome);
    }

    private static void requireVersion(@Nullable Long expected, long version) {
        if (expected != null && expected != version) {
            throw StructureException.conflict(expected, version);
        }
    }

    private StructureCall<Long> update(
            byte[] key, UpdateCall.Change change, StructureCall.Outcome<? super Long> outcome) {
        return new UpdateCall(access, layout, bucket(key), header.lease(), writer, true, change, outcome).start();
    }

    private byte[] checked(byte[] key, int valueLength) {
        if (key.length == 0 || key.length > Bucket.MAX_KEY) {
            throw new IllegalArgumentException(
                    "a key of " + key.length + " bytes: use one of 1 to " + Bucket.MAX_KEY + " bytes");
        }
        if ((long) key.length + valueLength > capacity()) {
            throw new IllegalArgumentException("a key of " + key.length + " bytes and a value of " + valueLength
                    + " bytes do not fit into the " + capacity() + " bytes that a bucket has for them: allocate the"
                    + " table with larger buckets");
        }
        return key.clone();
    }
}
