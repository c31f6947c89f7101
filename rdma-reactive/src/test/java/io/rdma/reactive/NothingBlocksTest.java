package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.ResourceOptions;
import io.rdma.reactive.structures.RdmaLease;
import io.rdma.reactive.structures.RdmaLocks;
import io.rdma.reactive.structures.RdmaRecords;
import io.rdma.reactive.structures.RdmaRing;
import io.rdma.reactive.structures.RdmaTable;
import io.rdma.soft.LinkFaults;
import io.rdma.soft.SoftNetwork;
import io.rdma.structures.LockMemory;
import io.rdma.structures.RecordMemory;
import io.rdma.structures.RecordOptions;
import io.rdma.structures.RingMemory;
import io.rdma.structures.TableMemory;
import io.rdma.structures.TableOptions;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.DatagramAddress;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RdmaDevices;
import java.time.Duration;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.blockhound.integration.BlockHoundIntegration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Tests in which BlockHound watches the loop threads during all operations of connections and datagrams. BlockHound
 * rewrites the JDK, so this class runs in a process of its own.
 */
@Tag("alone")
class NothingBlocksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final AtomicReference<Throwable> BLOCKED = new AtomicReference<>();

    @BeforeAll
    static void watch() {
        BlockHound.builder()
                .with(new RdmaBlockHoundIntegration())
                .blockingMethodCallback(method -> {
                    BlockingOperationError error = new BlockingOperationError(method);
                    BLOCKED.compareAndSet(null, error);
                    throw error;
                })
                .install();
    }

    @AfterEach
    void nothingBlocked() {
        SoftNetwork.ofThisProcess().heal();
        Throwable first = BLOCKED.getAndSet(null);
        if (first != null) {
            throw new AssertionError("something blocked the loop", first);
        }
    }

    /** A server and connections to it. */
    private static final class Service implements AutoCloseable {
        private final BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
        private final ConnectMethod connector;
        private final DisposableServer server;

        Service(ConnectMethod connector, UnaryOperator<RdmaServer> change) {
            this.connector = connector;
            server = change.apply(RdmaServer.create().device("soft0"))
                    .host("127.0.0.1")
                    .receiveBuffers(16, 1024)
                    .options(options -> options.withConnectMethod(connector))
                    .handle(connection -> {
                        accepted.add(connection);
                        return Mono.never();
                    })
                    .bindNow(PATIENCE);
        }

        RdmaConnection client() {
            return RdmaClient.create()
                    .device("soft0")
                    .host("127.0.0.1")
                    .port(server.port())
                    .receiveBuffers(16, 1024)
                    .sendBuffers(4, 1024)
                    .options(options -> options.withConnectMethod(connector))
                    .connectNow(PATIENCE);
        }

        RdmaConnection accepted() throws InterruptedException {
            return Objects.requireNonNull(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }

        @Override
        public void close() {
            server.disposeNow(PATIENCE);
        }
    }

    private static void exercise(RdmaConnection client, RdmaConnection peer, int messages) {
        assertThat(Flux.merge(
                                client.send(Flux.range(0, messages), (n, target) -> 1 + n % 1000)
                                        .cast(Integer.class),
                                peer.receive(message -> message.length()).take(messages))
                        .count()
                        .block(PATIENCE))
                .isEqualTo(messages);
        client.send(100_000, target -> {})
                .and(peer.receive(message -> message.length()).next())
                .block(PATIENCE);
        MemoryRegion there = Objects.requireNonNull(
                peer.allocate(8, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC)
                        .block(PATIENCE));
        RegisteredBuffer buffer = Objects.requireNonNull(client.acquire().block(PATIENCE));
        client.write(buffer.limit(8), there.remote())
                .then(client.read(there.remote(), buffer))
                .then(client.fetchAndAdd(there.remote(), 1))
                .then(client.compareAndSwap(there.remote(), 1, 2))
                .repeat(messages / 5)
                .blockLast(PATIENCE);
        buffer.close();
    }

    /** Cancels sends. Some of the messages are sent nevertheless, and no receiver reads them. */
    private static void cancelSends(RdmaConnection client) {
        for (int i = 0; i < 20; i++) {
            client.send(8, target -> {}).subscribe().dispose();
        }
    }

    @Test
    void theIntegrationIsAService() {
        assertThat(ServiceLoader.load(BlockHoundIntegration.class))
                .hasAtLeastOneElementOfType(RdmaBlockHoundIntegration.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void theLibraryDoesNotBlockTheLoop(ConnectMethod connector) throws Exception {
        try (Service service = new Service(connector, server -> server)) {
            RdmaConnection client = service.client();
            exercise(client, service.accepted(), 500);
            cancelSends(client);
            client.disposeNow(PATIENCE);
        }
    }

    @Test
    void aBlockingCallOfTheApplicationIsDetected() throws Exception {
        try (Service service = new Service(ConnectMethod.TCP, server -> server)) {
            RdmaConnection client = service.client();
            MemoryRegion there = Objects.requireNonNull(
                    service.accepted().allocate(8, AccessFlag.REMOTE_ATOMIC).block(PATIENCE));
            assertThatThrownBy(() -> client.fetchAndAdd(there.remote(), 1)
                            .map(value -> Objects.requireNonNull(
                                    Mono.delay(Duration.ofMillis(1)).block()))
                            .block(PATIENCE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("block");
            client.disposeNow(PATIENCE);
        }
    }

    @Test
    void sharedReceivesDoNotBlockTheLoop() throws Exception {
        ResourceOptions shared = ResourceOptions.DEFAULT.withSharedReceiveBuffers(64, 1024);
        try (RdmaResources resources = RdmaResources.open(RdmaDevices.named("soft0"), shared);
                Service service = new Service(ConnectMethod.TCP, server -> server.resources(resources))) {
            RdmaConnection first = service.client();
            RdmaConnection firstPeer = service.accepted();
            RdmaConnection second = service.client();
            RdmaConnection secondPeer = service.accepted();
            exercise(first, firstPeer, 200);
            exercise(second, secondPeer, 200);
            first.disposeNow(PATIENCE);
            exercise(second, secondPeer, 100);
            cancelSends(second);
            second.disposeNow(PATIENCE);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void faultsDoNotBlockTheLoop(ConnectMethod connector) throws Exception {
        SoftNetwork network = SoftNetwork.ofThisProcess();
        try (Service service = new Service(connector, server -> server)) {
            RdmaConnection client = service.client();
            RdmaConnection peer = service.accepted();
            network.setFaults(
                    LinkFaults.NONE.withLoss(0.02).withDuplication(0.02).withReordering(0.02));
            exercise(client, peer, 100);
            network.setFaults(LinkFaults.NONE);

            // The peer refuses an access, which ends this connection and the operations that wait.
            RemoteMemory wrong = new RemoteMemory(4096, 8, 1);
            Mono<Void> waiting =
                    client.send(Flux.range(0, 1_000), (n, target) -> 8).cache();
            waiting.subscribe(sent -> {}, lost -> {});
            assertThatThrownBy(() -> client.fetchAndAdd(wrong, 1).block(PATIENCE))
                    .isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> waiting.block(PATIENCE)).isInstanceOf(RuntimeException.class);
            client.onDispose().block(PATIENCE);
            peer.onDispose().block(PATIENCE);

            // No packet arrives any more, so the retries are exhausted.
            RdmaConnection cut = service.client();
            RdmaConnection cutPeer = service.accepted();
            network.partition();
            assertThatThrownBy(() -> cut.send(8, target -> {}).block(PATIENCE)).isInstanceOf(RuntimeException.class);
            cut.onDispose().block(PATIENCE);
            network.heal();
            cutPeer.disposeNow(PATIENCE);
        }
    }

    /** Calls that meet each other pause, and spread their pauses at random. */
    @Test
    void structuresDoNotBlockTheLoop() throws Exception {
        RdmaResources resources = RdmaResources.open(RdmaDevices.named("soft0"));
        RecordMemory records = RdmaRecords.allocate(resources, RecordOptions.of(1, 100));
        TableMemory table = RdmaTable.allocate(resources, TableOptions.of(1, 200));
        LockMemory locks = RdmaLocks.allocate(resources, 1, PATIENCE);
        RingMemory ring = RdmaRing.allocate(resources, 256);
        try (Service service = new Service(ConnectMethod.TCP, server -> server.resources(resources))) {
            RdmaConnection client = service.client();
            RdmaEndpoint host = service.accepted().endpoint();
            RdmaRecords ofRecords =
                    RdmaRecords.open(client, records.admit(host)).block(PATIENCE);
            RdmaTable ofTable = RdmaTable.open(client, table.admit(host)).block(PATIENCE);
            RdmaLocks ofLocks = RdmaLocks.open(client, locks.admit(host)).block(PATIENCE);
            RdmaRing ofRing = RdmaRing.open(client, ring.admit(host)).block(PATIENCE);
            Flux.range(0, 300)
                    .flatMap(
                            i -> Flux.merge(
                                    ofRecords.put(0, new byte[i % 100]).and(ofRecords.get(0)),
                                    ofTable.put(new byte[] {1}, new byte[i % 100])
                                            .and(ofTable.get(new byte[] {1})),
                                    ofLocks.withLease(0, RdmaLease::renew).then()),
                            16)
                    .blockLast(PATIENCE);
            Flux.range(0, 300)
                    .flatMap(i -> ofRing.send(new byte[i % 100]), 300)
                    .mergeWith(RdmaRing.receive(ring).take(300).then())
                    .blockLast(PATIENCE);
            client.disposeNow(PATIENCE);
        }
        ring.close();
        locks.close();
        table.close();
        records.close();
        resources.close();
    }

    @Test
    void datagramsDoNotBlockTheLoop() {
        RdmaDatagramSocket one = datagrams();
        RdmaDatagramSocket other = datagrams();
        DatagramAddress address = Objects.requireNonNull(
                one.resolve("127.0.0.1", other.localAddress().getPort()).block(PATIENCE));
        // A datagram that arrives before the receiver subscribes may be lost, so they are sent until enough arrived.
        Flux<Void> sending = one.send(8, target -> {}, address).repeat();
        other.receive(message -> message.length())
                .take(100)
                .takeUntilOther(sending)
                .blockLast(PATIENCE);
        one.disposeNow(PATIENCE);
        other.disposeNow(PATIENCE);
    }

    private static RdmaDatagramSocket datagrams() {
        return RdmaDatagramSocket.create()
                .device("soft0")
                .host("127.0.0.1")
                .receiveBuffers(8)
                .sendBuffers(4)
                .bindNow(PATIENCE);
    }
}
