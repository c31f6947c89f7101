package io.rdma.reactive.structures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.StructureMemory;
import io.rdma.testing.TestDevice;
import io.rdma.types.AtomicCapability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/** A host of structures and its clients. At the end nothing is in flight, all pools are whole, all memory is freed. */
final class StructuresFixture {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Bytes of a send buffer, and so of the largest READ. */
    static final int BUFFER = 4096;

    final RdmaResources ofHost;
    private final RdmaResources ofClients;
    private final DisposableServer server;
    private final BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
    private final List<RdmaConnection> connections = new ArrayList<>();
    private final List<StructureMemory> memories = new ArrayList<>();

    /** A client's connection, and the host's end of it. */
    record Client(RdmaConnection connection, RdmaConnection atHost) {
        StructureLocation admittedTo(StructureMemory memory) {
            return memory.admit(atHost.endpoint());
        }
    }

    StructuresFixture(String device) {
        ofHost = RdmaResources.open(TestDevice.assumed(device));
        ofClients = RdmaResources.open(TestDevice.assumed(device));
        server = server(ofHost)
                .handle(connection -> {
                    accepted.add(connection);
                    return Mono.never(); // the test decides when the handler ends
                })
                .bindNow(PATIENCE);
    }

    /** Returns a server of a host, without its handler. */
    static RdmaServer server(RdmaResources resources) {
        return RdmaServer.create()
                .resources(resources)
                .host("127.0.0.1")
                .receiveBuffers(16, 1024)
                .sendBuffers(8, 1024)
                .options(o -> o.withHandshakeTimeout(PATIENCE));
    }

    /** Returns a client of the host at a port. */
    static RdmaClient client(RdmaResources resources, int port) {
        return RdmaClient.create()
                .resources(resources)
                .host("127.0.0.1")
                .port(port)
                .receiveBuffers(16, 1024)
                .sendBuffers(8, BUFFER)
                .options(o -> o.withHandshakeTimeout(PATIENCE));
    }

    Client connect() throws InterruptedException {
        return connect(8, BUFFER);
    }

    /** Connects a client with some send buffers. */
    Client connect(int buffers, int size) throws InterruptedException {
        RdmaConnection connection =
                client(ofClients, server.port()).sendBuffers(buffers, size).connectNow(PATIENCE);
        RdmaConnection atHost = Objects.requireNonNull(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        connections.add(connection);
        connections.add(atHost);
        return new Client(connection, atHost);
    }

    /** Registers a memory, which the end of the test closes. */
    <M extends StructureMemory> M using(M memory) {
        memories.add(memory);
        return memory;
    }

    /** Returns whether the host's processor may take part in changes. */
    boolean hasProcessorAtomics() {
        return ofHost.context().queryDevice().atomicCap() == AtomicCapability.GLOB;
    }

    /** Waits until all that clients have begun, and nobody waits for, has ended. */
    void awaitRest() {
        for (RdmaConnection connection : connections) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(connection.endpoint().inFlight()).isZero();
                assertThat(connection.endpoint().sendBuffers().leased()).isZero();
            });
        }
    }

    void close() {
        connections.forEach(connection -> connection.disposeNow(PATIENCE));
        awaitRest();
        server.disposeNow(PATIENCE);
        memories.forEach(StructureMemory::close);
        ofClients.close();
        ofHost.close();
        TestDevice.awaitClosed(ofClients.context());
        TestDevice.awaitClosed(ofHost.context());
    }
}
