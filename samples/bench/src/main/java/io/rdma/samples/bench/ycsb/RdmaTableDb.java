package io.rdma.samples.bench.ycsb;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.structures.RdmaTable;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.VersionedValue;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A client of a {@link RdmaTable} on the software device, with a connection of its own. */
final class RdmaTableDb extends VersionedDb {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int SEND_BUFFERS = 16;

    private final int port;
    private @Nullable RdmaConnection connection;
    private @Nullable RdmaTable table;

    RdmaTableDb(int port) {
        this.port = port;
    }

    @Override
    public void init() {
        RdmaConnection connected = RdmaClient.create()
                .device("soft0")
                .host(Store.ADDRESS)
                .port(port)
                .sendBuffers(SEND_BUFFERS, TableGeometry.options().readBytes())
                .connectNow(PATIENCE);
        connection = connected;
        table = connected
                .receive(message -> StructureLocation.decode(message.segment()))
                .next()
                .flatMap(location -> RdmaTable.open(connected, location))
                .block(PATIENCE);
    }

    @Override
    public void cleanup() {
        RdmaConnection open = connection;
        if (open != null) {
            open.disposeNow(PATIENCE);
        }
    }

    private RdmaTable table() {
        return Objects.requireNonNull(table, "init was not called");
    }

    @Override
    protected @Nullable VersionedValue get(byte[] key) {
        return table().get(key).block(PATIENCE);
    }

    @Override
    protected void put(byte[] key, byte[] value) {
        table().put(key, value).block(PATIENCE);
    }

    @Override
    protected boolean put(byte[] key, byte[] value, long expectedVersion) {
        try {
            table().put(key, value, expectedVersion).block(PATIENCE);
            return true;
        } catch (StructureException e) {
            if (e.reason() != StructureException.Reason.CONFLICT) {
                throw e;
            }
            return false;
        }
    }

    @Override
    protected boolean remove(byte[] key) {
        return Boolean.TRUE.equals(table().remove(key).block(PATIENCE));
    }
}
