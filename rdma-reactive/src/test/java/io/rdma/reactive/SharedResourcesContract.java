package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.RdmaResources;
import io.rdma.testing.PeerRefusal;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.RdmaException;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryRegion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Contract of clients and servers that are given no resources: they share those of the process, on every device. */
abstract class SharedResourcesContract {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int CLIENTS = 40;

    private final BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void begin() {
        TestDevice.assumed(device());
        RdmaSharedResources.disposeLater().block(PATIENCE); // of earlier tests in this JVM
    }

    @AfterEach
    void dispose() {
        List<DeviceContext> open = contexts();
        RdmaSharedResources.disposeLater().block(PATIENCE);
        open.forEach(TestDevice::awaitClosed);
    }

    private static List<DeviceContext> contexts() {
        return RdmaResources.shared().open().stream()
                .map(RdmaResources::context)
                .toList();
    }

    private DisposableServer server() {
        return RdmaServer.create()
                .device(device())
                .host("127.0.0.1")
                .options(o -> o.withHandshakeTimeout(PATIENCE))
                .handle(connection -> {
                    accepted.add(connection);
                    return connection.send(connection.receive(ReceivedMessage::toByteArray), (bytes, target) -> {
                        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, target, 0, bytes.length);
                        return bytes.length;
                    });
                })
                .bindNow(PATIENCE);
    }

    private RdmaClient client(int port) {
        return RdmaClient.create()
                .device(device())
                .host("127.0.0.1")
                .port(port)
                .options(o -> o.withHandshakeTimeout(PATIENCE));
    }

    private RdmaConnection accepted() throws InterruptedException {
        return accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static void assertEchoes(RdmaConnection connection) {
        CompletableFuture<String> echo = connection
                .receive(message -> new String(message.toByteArray()))
                .next()
                .toFuture();
        connection
                .send(8, target -> target.copyFrom(MemorySegment.ofArray("question".getBytes())))
                .block(PATIENCE);
        assertThat(echo.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
                .isEqualTo("question");
    }

    /**
     * Returns the threads of loops that run. Tests compare sets and not numbers, because a thread of an earlier test
     * may be about to end.
     */
    private Set<Thread> loops() {
        String name = "rdma-loop-" + device() + "-";
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(name))
                .collect(Collectors.toSet());
    }

    /**
     * Counts the open descriptors without sockets: each connection has one for its exchange. The JVM opens some on its
     * own account, such as those of its pollers; an open device for each connection would open more than one for each.
     */
    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(one -> !target(one).startsWith("socket:")).count();
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (NoSuchFileException e) {
            return "socket: closed meanwhile";
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void manyConnectionsHaveOneDeviceAndItsLoops() throws Exception {
        Set<Thread> before = loops();
        DisposableServer server = server();
        assertEchoes(client(server.port()).connectNow(PATIENCE));
        Set<Thread> loops = loops();
        long descriptors = descriptors();
        assertThat(loops).filteredOn(loop -> !before.contains(loop)).hasSizeBetween(1, 4);

        List<RdmaConnection> connections = Flux.range(0, CLIENTS)
                .flatMap(i -> client(server.port()).connect(), CLIENTS)
                .collectList()
                .block(PATIENCE);

        assertThat(connections).hasSize(CLIENTS);
        connections.forEach(SharedResourcesContract::assertEchoes);
        assertThat(loops).containsAll(loops());
        assertThat(descriptors()).isLessThan(descriptors + CLIENTS);
        assertThat(RdmaResources.shared().open())
                .singleElement()
                .satisfies(one -> assertThat(one.endpoints()).hasSize(2 * (CLIENTS + 1)));
        server.disposeNow(PATIENCE);
    }

    @Test
    void theFirstConnectsAllAtOnceOpenTheDeviceOnce() throws Exception {
        Set<Thread> before = loops();
        List<DisposableServer> servers = Flux.range(0, CLIENTS)
                .flatMap(
                        i -> RdmaServer.create()
                                .device(device())
                                .host("127.0.0.1")
                                .bind(),
                        CLIENTS)
                .collectList()
                .block(PATIENCE);
        assertThat(servers).hasSize(CLIENTS);
        assertThat(contexts()).hasSize(1);
        assertThat(loops()).filteredOn(loop -> !before.contains(loop)).hasSizeBetween(1, 4);
        servers.forEach(server -> server.disposeNow(PATIENCE));
    }

    @Test
    void theDeviceStaysOpenForTheNextConnection() {
        DisposableServer first = server();
        DeviceContext context = contexts().getFirst();
        client(first.port()).connectNow(PATIENCE).disposeLater().block(PATIENCE);
        long begin = System.nanoTime();
        first.disposeNow(PATIENCE);
        DisposableServer second = server();
        List<DeviceContext> open = contexts();
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
        second.disposeNow(PATIENCE);
        assumeTrue(seconds < 10, "the device is kept for ten seconds, this machine took longer to bind a server");
        assertThat(open).containsExactly(context);
    }

    @Test
    void theEndOfOneConnectionIsNotThatOfAnother() throws Exception {
        DisposableServer server = server();
        RdmaConnection one = client(server.port()).connectNow(PATIENCE);
        accepted();
        RdmaConnection other = client(server.port()).connectNow(PATIENCE);
        RdmaConnection peer = accepted();
        peer.abort(new IllegalStateException("a test's"));
        other.onDispose().block(PATIENCE);
        assertEchoes(one);
        server.disposeNow(PATIENCE);
    }

    @Test
    void theKeyOfOneServersMemoryIsOfNoUseToThePeersOfAnother() throws Exception {
        DisposableServer mine = server();
        DisposableServer others = server();
        RdmaConnection client = client(mine.port()).connectNow(PATIENCE);
        accepted();
        RdmaConnection otherClient = client(others.port()).connectNow(PATIENCE);
        RdmaConnection owner = accepted();
        MemoryRegion region = owner.allocate(8, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)
                .block(PATIENCE);

        try (RegisteredBuffer buffer = otherClient.acquire().block(PATIENCE)) {
            buffer.limit(8).segment().set(ValueLayout.JAVA_LONG, 0, 42);
            otherClient.write(buffer, region.remote()).block(PATIENCE);
            assertThat(region.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
        }
        RegisteredBuffer intruding = client.acquire().block(PATIENCE);
        intruding.limit(8).segment().set(ValueLayout.JAVA_LONG, 0, 13);
        PeerRefusal.assertOfWrite(
                device(),
                catchThrowable(() -> client.write(intruding, region.remote()).block(PATIENCE)));
        intruding.close();
        assertThat(region.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
        mine.disposeNow(PATIENCE);
        others.disposeNow(PATIENCE);
    }

    @Test
    void theKeyOfOneClientsMemoryIsOfNoUseToThePeerOfAnother() throws Exception {
        DisposableServer server = server();
        RdmaConnection client = client(server.port()).connectNow(PATIENCE);
        accepted();
        RdmaConnection other = client(server.port()).connectNow(PATIENCE);
        RdmaConnection peerOfOther = accepted();
        MemoryRegion region = client.allocate(8, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)
                .block(PATIENCE);
        RegisteredBuffer intruding = peerOfOther.acquire().block(PATIENCE);
        intruding.limit(8).segment().set(ValueLayout.JAVA_LONG, 0, 13);
        PeerRefusal.assertOfWrite(
                device(),
                catchThrowable(
                        () -> peerOfOther.write(intruding, region.remote()).block(PATIENCE)));
        intruding.close();
        other.onDispose().block(PATIENCE);
        assertThat(region.segment().get(ValueLayout.JAVA_LONG, 0)).isZero();
        assertEchoes(client);
        server.disposeNow(PATIENCE);
    }

    /** As before the sharing: a server may send to one client from memory that it got for another. */
    @Test
    void theConnectionsOfAServerShareMemory() throws Exception {
        DisposableServer server = server();
        RdmaConnection one = client(server.port()).connectNow(PATIENCE);
        RdmaConnection peerOfOne = accepted();
        RdmaConnection other = client(server.port()).connectNow(PATIENCE);
        RdmaConnection peerOfOther = accepted();
        CompletableFuture<byte[]> arrived =
                other.receive(ReceivedMessage::toByteArray).next().toFuture();
        try (RegisteredBuffer buffer = peerOfOne.acquire().block(PATIENCE)) {
            buffer.limit(8).segment().set(ValueLayout.JAVA_LONG, 0, 42);
            peerOfOther.send(buffer).block(PATIENCE);
        }
        assertThat(arrived.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
                .hasSize(8);
        assertThat(one.isDisposed()).isFalse();
        server.disposeNow(PATIENCE);
    }

    @Test
    void afterADisposalTheNextConnectOpensTheDeviceAnew() throws Exception {
        Set<Thread> before = loops();
        DisposableServer server = server();
        RdmaConnection connection = client(server.port()).connectNow(PATIENCE);
        DeviceContext first = contexts().getFirst();
        RdmaSharedResources.disposeLater().block(PATIENCE);
        connection.onDispose().block(PATIENCE);
        TestDevice.awaitClosed(first);
        assertThat(contexts()).isEmpty();
        await("the loops have ended").atMost(PATIENCE).until(() -> before.containsAll(loops()));
        server.disposeNow(PATIENCE);

        DisposableServer again = server();
        assertEchoes(client(again.port()).connectNow(PATIENCE));
        assertThat(contexts()).hasSize(1).doesNotContain(first);
        again.disposeNow(PATIENCE);
    }

    @Test
    void aDisposalBreaksOffConnectsUnderWay() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            CompletableFuture<RdmaConnection> connecting =
                    client(silent.getLocalPort()).connect().toFuture();
            silent.accept(); // the attempt is under way, and nobody answers
            RdmaSharedResources.disposeLater().block(PATIENCE);
            assertThatThrownBy(() -> connecting
                            .orTimeout(PATIENCE.toSeconds() / 2, TimeUnit.SECONDS)
                            .join())
                    .hasCauseInstanceOf(RdmaException.class);
        }
        DisposableServer server = server();
        assertEchoes(client(server.port()).connectNow(PATIENCE));
        server.disposeNow(PATIENCE);
    }

    /** Each connect ends, with a connection that is closed then or with an error that names the reason. */
    @Test
    void connectsDuringDisposalsEnd() {
        RdmaResources servers = RdmaResources.open(TestDevice.assumed(device()));
        DisposableServer server = RdmaServer.create()
                .resources(servers)
                .host("127.0.0.1")
                .handle(connection -> Mono.never())
                .bindNow(PATIENCE);
        CompletableFuture<Long> failed = Flux.range(0, CLIENTS)
                .flatMap(
                        i -> client(server.port())
                                .connect()
                                .flatMap(RdmaConnection::disposeLater)
                                .thenReturn(false)
                                .onErrorResume(RdmaException.class, e -> Mono.just(true)),
                        8)
                .filter(any -> any)
                .count()
                .toFuture();
        while (!failed.isDone()) {
            RdmaSharedResources.disposeLater().block(PATIENCE);
        }
        assertThat(failed.join()).isBetween(0L, (long) CLIENTS);
        server.disposeNow(PATIENCE);
        servers.close();
    }
}
