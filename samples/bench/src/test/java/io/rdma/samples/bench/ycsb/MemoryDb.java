package io.rdma.samples.bench.ycsb;

import io.rdma.structures.VersionedValue;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** A store of one client, in the memory of this process. */
class MemoryDb extends VersionedDb {
    final Map<ByteBuffer, VersionedValue> values = new HashMap<>();
    private long version;

    @Override
    protected VersionedValue get(byte[] key) {
        return values.get(ByteBuffer.wrap(key));
    }

    @Override
    protected void put(byte[] key, byte[] value) {
        values.put(ByteBuffer.wrap(key), new VersionedValue(++version, value));
    }

    @Override
    protected boolean put(byte[] key, byte[] value, long expectedVersion) {
        if (get(key).version() != expectedVersion) {
            return false;
        }
        put(key, value);
        return true;
    }

    @Override
    protected boolean remove(byte[] key) {
        return values.remove(ByteBuffer.wrap(key)) != null;
    }
}
