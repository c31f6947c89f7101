package io.rdma.samples.bench.ycsb;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaServer;
import io.rdma.reactive.structures.RdmaTable;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.TableMemory;
import io.rdma.verbs.RdmaDevices;
import java.time.Duration;

/** The process that has the memory of the table. It admits clients, and takes no part in their operations. */
final class TableHost implements Store.Host {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final RdmaResources resources;
    private final TableMemory memory;
    private final DisposableServer server;

    TableHost() {
        resources = RdmaResources.open(RdmaDevices.named("soft0"));
        memory = RdmaTable.allocate(resources, TableGeometry.options());
        server = RdmaServer.create()
                .resources(resources)
                .host(Store.ADDRESS)
                .port(0)
                .handle(connection -> {
                    StructureLocation location = memory.admit(connection.endpoint());
                    return connection
                            .send(StructureLocation.ENCODED_BYTES, location::encode)
                            .then(connection.onDispose());
                })
                .bindNow(PATIENCE);
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.disposeNow(PATIENCE);
        memory.close();
        resources.close();
    }
}
