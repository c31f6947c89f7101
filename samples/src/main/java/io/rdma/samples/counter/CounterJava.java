package io.rdma.samples.counter;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RdmaDevice;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import reactor.core.publisher.Flux;

/** A ticket counter with Reactor. The server's CPU takes no part when a client draws a ticket. */
final class CounterJava {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private CounterJava() {}

    /** Serves one counter for all clients. Its memory belongs to the server's resources, not to a connection. */
    static void server(RdmaDevice device, String host, int port) {
        try (RdmaResources resources = RdmaResources.open(device);
                MemoryRegion counter = resources.domain().allocate(Long.BYTES, EnumSet.of(AccessFlag.REMOTE_ATOMIC))) {
            DisposableServer server = RdmaServer.create()
                    .resources(resources)
                    .host(host)
                    .port(port)
                    .handle(connection -> connection
                            .send(RemoteMemory.ENCODED_BYTES, counter.remote()::encode)
                            .then(connection.onDispose())
                            .doOnSuccess(end -> System.out.println(
                                    "tickets drawn so far: " + counter.segment().get(ValueLayout.JAVA_LONG, 0))))
                    .bindNow(PATIENCE);
            System.out.println("listening on port " + server.port());
            server.onDispose().block();
        }
    }

    static long client(RdmaDevice device, String host, int port, int count) {
        RdmaConnection connection =
                RdmaClient.create().device(device.name()).host(host).port(port).connectNow(PATIENCE);
        try {
            return Objects.requireNonNull(connection
                    .receive(message -> RemoteMemory.decode(message.segment()))
                    .next()
                    .flatMapMany(counter -> Flux.range(0, count).concatMap(i -> connection.fetchAndAdd(counter, 1)))
                    .last()
                    .block(PATIENCE));
        } finally {
            connection.disposeNow(PATIENCE);
        }
    }
}
