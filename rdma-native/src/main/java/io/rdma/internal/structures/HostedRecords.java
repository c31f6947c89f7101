package io.rdma.internal.structures;

import io.rdma.connect.RdmaResources;
import io.rdma.structures.RecordMemory;
import io.rdma.structures.RecordOptions;
import io.rdma.structures.VersionedValue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Records at their host. */
public final class HostedRecords extends HostedMemory implements RecordMemory {
    private final RecordClient client;

    /**
     * Allocates records without values.
     *
     * @param resources resources of the server whose clients use them
     * @param options geometry
     */
    public HostedRecords(RdmaResources resources, RecordOptions options) {
        super(resources, StructureHeader.of(StructureHeader.Kind.RECORDS, options, 0));
        client = new RecordClient(access, header, writer);
    }

    @Override
    public int count() {
        return client.count();
    }

    @Override
    public CompletableFuture<@Nullable VersionedValue> get(int index) {
        return HostedMemory.<VersionedValue>future(outcome -> client.get(index, outcome));
    }

    @Override
    public CompletableFuture<Long> put(int index, byte[] value) {
        return put(outcome -> client.put(index, value, outcome));
    }

    @Override
    public CompletableFuture<Long> put(int index, byte[] value, long expectedVersion) {
        return put(outcome -> client.put(index, value, expectedVersion, outcome));
    }
}
