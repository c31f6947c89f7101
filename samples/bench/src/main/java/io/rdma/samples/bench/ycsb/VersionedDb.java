package io.rdma.samples.bench.ycsb;

import io.rdma.structures.VersionedValue;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

// An update of YCSB names some fields of a record, and a store has one value for all of them. So an update is a get and
// a put that expects the version of the get. It is repeated if another client was faster.
//
// The read-modify-write of workload F is a read and then an update of the same key. YCSB's interface has no way to use
// the version of that read: the update is not told of it, its new content is made before it, and its status is ignored,
// so a conflict would not repeat the read. The update of F uses versions as each update does.

/**
 * YCSB's view of a store that has a value with a version for each key. One thread uses it at a time, as YCSB does. A
 * failure of the store is thrown, so that the run ends with its cause.
 */
public abstract class VersionedDb extends DB {
    private static final int ATTEMPTS = 100_000;

    /** Creates the view. {@link #init} connects it. */
    protected VersionedDb() {}

    /**
     * Gets a value.
     *
     * @param key key
     * @return the value, or null if there is none
     */
    protected abstract @Nullable VersionedValue get(byte[] key);

    /**
     * Puts a value, whether there is one or not.
     *
     * @param key key
     * @param value value
     */
    protected abstract void put(byte[] key, byte[] value);

    /**
     * Replaces a value if it has a certain version.
     *
     * @param key key
     * @param value value
     * @param expectedVersion version of a get
     * @return whether it had the version
     */
    protected abstract boolean put(byte[] key, byte[] value, long expectedVersion);

    /**
     * Removes a value.
     *
     * @param key key
     * @return whether there was one
     */
    protected abstract boolean remove(byte[] key);

    @Override
    public Status read(String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
        VersionedValue found = get(key(table, key));
        if (found == null) {
            return Status.NOT_FOUND;
        }
        Fields.decode(found.value()).forEach((name, content) -> {
            if (fields == null || fields.contains(name)) {
                result.put(name, new ByteArrayByteIterator(content));
            }
        });
        return Status.OK;
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        put(key(table, key), Fields.encode(contents(values)));
        return Status.OK;
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        byte[] stored = key(table, key);
        Map<String, byte[]> changes = contents(values);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            VersionedValue old = get(stored);
            if (old == null) {
                return Status.NOT_FOUND;
            }
            Map<String, byte[]> fields = Fields.decode(old.value());
            fields.putAll(changes);
            if (put(stored, Fields.encode(fields), old.version())) {
                return Status.OK;
            }
        }
        return Status.SERVICE_UNAVAILABLE;
    }

    @Override
    public Status delete(String table, String key) {
        return remove(key(table, key)) ? Status.OK : Status.NOT_FOUND;
    }

    /** Refuses, because the keys of the stores have no order. So workload E is not run. */
    @Override
    public Status scan(
            String table,
            String startKey,
            int count,
            @Nullable Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        return Status.NOT_IMPLEMENTED;
    }

    private static byte[] key(String table, String key) {
        return (table + "/" + key).getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, byte[]> contents(Map<String, ByteIterator> values) {
        Map<String, byte[]> contents = new HashMap<>();
        values.forEach((name, content) -> contents.put(name, content.toArray()));
        return contents;
    }
}
