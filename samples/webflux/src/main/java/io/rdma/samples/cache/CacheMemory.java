package io.rdma.samples.cache;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.reactive.structures.RdmaCounters;
import io.rdma.reactive.structures.RdmaTable;
import io.rdma.structures.CounterMemory;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.TableMemory;
import io.rdma.structures.TableOptions;
import io.rdma.verbs.RdmaDevices;
import org.reactivestreams.Publisher;

/**
 * The process that holds the memory. It sends each RDMA client the locations of table and counters, and takes no part
 * in the client's operations on them.
 */
record CacheMemory(RdmaResources resources, TableMemory table, CounterMemory counters) {
    /** Limit of the bytes of a key and its value together. */
    static final int LIMIT = 1_000;

    static final int COUNTERS = 64;

    /** A table with room for a value of the limit in each bucket. New values displace the oldest of their bucket. */
    static final TableOptions TABLE =
            TableOptions.of(1 << 12, LIMIT + TableOptions.ENTRY_BYTES).displacingOldest();

    CacheMemory(RdmaResources resources, TableOptions options) {
        this(resources, RdmaTable.allocate(resources, options), RdmaCounters.allocate(resources, COUNTERS));
    }

    /** Serves until the process ends. */
    static void run(String device, String host, int port, int tcpPort) {
        try (RdmaResources resources = RdmaResources.open(RdmaDevices.named(device))) {
            CacheMemory memory = new CacheMemory(resources, TABLE);
            DisposableServer server = memory.bind(host, port);
            System.out.println(RemoteCache.MEMORY_READY + server.port());
            System.out.println(
                    RemoteCache.TCP_READY + memory.bindTcp(host, tcpPort).port());
            server.onDispose().block();
        }
    }

    /** Binds the server of RDMA clients. */
    DisposableServer bind(String host, int port) {
        return RdmaServer.create()
                .resources(resources)
                .host(host)
                .port(port)
                .handle(this::serve)
                .bindNow();
    }

    /** Binds the server of TCP clients. */
    reactor.netty.DisposableServer bindTcp(String host, int port) {
        return new TcpCacheServer(table, counters).bind(host, port);
    }

    private Publisher<Void> serve(RdmaConnection connection) {
        StructureLocation ofTable = table.admit(connection.endpoint());
        StructureLocation ofCounters = counters.admit(connection.endpoint());
        return connection
                .send(StructureLocation.ENCODED_BYTES, ofTable::encode)
                .then(connection.send(StructureLocation.ENCODED_BYTES, ofCounters::encode))
                .then(connection.onDispose());
    }
}
