package io.rdma.internal.structures;

import io.rdma.connect.RdmaResources;
import io.rdma.structures.TableMemory;
import io.rdma.structures.TableOptions;
import io.rdma.structures.VersionedValue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A table at its host. */
public final class HostedTable extends HostedMemory implements TableMemory {
    private final TableClient client;

    /**
     * Allocates an empty table.
     *
     * @param resources resources of the server whose clients use it
     * @param options geometry
     */
    public HostedTable(RdmaResources resources, TableOptions options) {
        super(
                resources,
                StructureHeader.of(
                        StructureHeader.Kind.TABLE,
                        options.buckets(),
                        options.displacing() ? StructureHeader.DISPLACING : 0));
        client = new TableClient(access, header, writer);
    }

    @Override
    public CompletableFuture<@Nullable VersionedValue> get(byte[] key) {
        return HostedMemory.<VersionedValue>future(outcome -> client.get(key, outcome));
    }

    @Override
    public CompletableFuture<Long> put(byte[] key, byte[] value) {
        return put(outcome -> client.put(key, value, outcome));
    }

    @Override
    public CompletableFuture<Long> put(byte[] key, byte[] value, long expectedVersion) {
        return put(outcome -> client.put(key, value, expectedVersion, outcome));
    }

    @Override
    public CompletableFuture<Boolean> remove(byte[] key) {
        return change(outcome -> client.remove(key, null, outcome)).thenApply(version -> version != null);
    }

    @Override
    public CompletableFuture<Boolean> remove(byte[] key, long expectedVersion) {
        return change(outcome -> client.remove(key, expectedVersion, outcome)).thenApply(version -> version != null);
    }
}
