package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.testing.HangUp;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.TestDevice;
import io.rdma.testing.TestPorts;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;
import reactor.util.retry.RetryBackoffSpec;

/**
 * Contract of connecting and closing, and of attempts that fail, the same on every device. Each test ends with the
 * check that all resources can be closed.
 */
abstract class ConnectContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int REBINDS = 10;

    private RdmaResources resources;
    private DisposableServer server;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void bind() {
        TestDevice.assumed(device());
        resources = RdmaResources.open(
                TestDevice.assumed(device()),
                ResourceOptions.DEFAULT
                        .withCompletionQueueEntries(4096) // rdma_rxe allocates nearly twice as many
                        .withMaxCompletionQueueEntries(4096));
        server = echo("127.0.0.1").bindNow(PATIENCE);
    }

    private RdmaServer echo(String host) {
        return echo(host, resources);
    }

    private RdmaServer echo(String host, RdmaResources with) {
        return RdmaServer.create()
                .resources(with)
                .host(host)
                .receiveBuffers(16, 1024)
                .sendBuffers(8, 1024)
                .options(o -> o.withHandshakeTimeout(PATIENCE)) // under emulation a JVM needs seconds to start
                .handle(connection -> connection
                        .receive(message -> message.toByteArray())
                        .concatMap(bytes -> send(connection, bytes))
                        .then());
    }

    private RdmaClient client() {
        return RdmaClient.create()
                .resources(resources)
                .host("127.0.0.1")
                .port(server.port())
                .receiveBuffers(16, 1024)
                .sendBuffers(8, 1024);
    }

    private static Mono<Void> send(RdmaConnection to, byte[] bytes) {
        return to.send(bytes.length, target -> target.copyFrom(MemorySegment.ofArray(bytes)));
    }

    private void assertEchoes(RdmaConnection connection) {
        assertThat(send(connection, "hello".getBytes())
                        .then(connection
                                .receive(message -> new String(message.toByteArray()))
                                .next())
                        .block(PATIENCE))
                .isEqualTo("hello");
    }

    private void assertServerLives() {
        RdmaConnection connection = client().connectNow(PATIENCE);
        assertEchoes(connection);
        connection.disposeNow(PATIENCE);
    }

    @AfterEach
    void nothingIsLeft() {
        if (server == null) {
            return;
        }
        server.disposeNow(PATIENCE);
        await("endpoints").atMost(PATIENCE).until(() -> resources.endpoints().isEmpty());
        CompletionLoop loop = DeviceResources.of(resources).loops().getFirst();
        resources.close(); // waits for cancelled connects that still clean up
        assertThat(loop.freeEntries())
                .as("free entries of the completion queue")
                .isEqualTo(loop.entries());
        TestDevice.awaitClosed(resources.context());
    }

    @Test
    void bothFamiliesOfAddressesConnect() {
        assertServerLives();
        Assumptions.assumeTrue(hasIpv6(), "this host has no IPv6 loopback address");
        DisposableServer sixth = echo("::1").bindNow(PATIENCE);
        RdmaConnection connection = client().host("::1").port(sixth.port()).connectNow(PATIENCE);
        assertEchoes(connection);
        connection.disposeNow(PATIENCE);
        sixth.disposeNow(PATIENCE);
    }

    private static boolean hasIpv6() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aConnectThatIsCancelledMidwayLeavesNothing() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Disposable connecting =
                    client().port(silent.getLocalPort()).connect().subscribe();
            try (Socket accepted = silent.accept()) {
                assertThat(accepted.getInputStream().readNBytes(56)).hasSize(56); // the client's queue pair exists
                connecting.dispose();
                assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            }
        }
        // nothingIsLeft() checks what the connect left behind
    }

    @Test
    void closedResourcesBreakOffWhatIsUnderWay() throws IOException {
        RdmaResources closing = RdmaResources.open(TestDevice.assumed(device()));
        CompletableFuture<RdmaConnection> connecting;
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            connecting = client().resources(closing)
                    .port(silent.getLocalPort())
                    .connect()
                    .toFuture();
            try (Socket accepted = silent.accept()) {
                assertThat(accepted.getInputStream().readNBytes(56)).hasSize(56); // the client's queue pair exists
                closing.close();
                assertThat(accepted.getInputStream().read()).isEqualTo(-1);
            }
        }
        TestDevice.awaitClosed(closing.context());
        assertThatThrownBy(() -> connecting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(RdmaConnectException.class)
                .cause()
                .extracting(e -> ((RdmaConnectException) e).reason())
                .isEqualTo(Reason.CANCELLED);
        assertThatThrownBy(() -> client().resources(closing).connectNow(PATIENCE))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void closedResourcesDoNotWaitForAClientAndRefuseTheNext() throws IOException {
        RdmaResources closing = RdmaResources.open(TestDevice.assumed(device()));
        DisposableServer closed = echo("127.0.0.1", closing).bindNow(PATIENCE);
        byte[] hello = recordedHello();
        try (Socket client = new Socket("127.0.0.1", closed.port())) {
            client.getOutputStream().write(hello);
            await().atMost(PATIENCE)
                    .until(() -> !closing.endpoints().isEmpty()); // the endpoint waits until the client is ready
            closing.close();
            TestDevice.awaitClosed(closing.context());
        }
        assertReason(Reason.REJECTED, client().port(closed.port())).hasMessageContaining("its log says why");
        closed.disposeNow(PATIENCE);
    }

    @Test
    void aConnectThatIsCancelledAtAnyMomentLeavesNothing() {
        int taken = 0;
        for (int i = 0; i < 60; i++) {
            List<RdmaConnection> got = new ArrayList<>();
            CountDownLatch ended = new CountDownLatch(1);
            Disposable connecting = client().connect()
                    .doOnNext(got::add)
                    .doFinally(how -> ended.countDown())
                    .subscribe();
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(15_000_000));
            connecting.dispose();
            await().atMost(PATIENCE).until(() -> ended.await(0, TimeUnit.SECONDS));
            got.forEach(Disposable::dispose);
            taken += got.size();
        }
        System.Logger log = System.getLogger(ConnectContract.class.getName());
        log.log(System.Logger.Level.INFO, taken + " of 60 connects were faster than their cancel");
    }

    @Test
    void aConnectThatTakesTooLongIsReportedAndLeavesNothing() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> client().port(silent.getLocalPort()).connectNow(Duration.ofMillis(100)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("PT0.1S");
        }
        assertServerLives();
    }

    @Test
    void aServerThatEndsWhileAnExchangeIsUnderWayDoesNotWaitForIt() throws IOException {
        try (Socket stalled = new Socket("127.0.0.1", server.port())) {
            server.disposeNow(PATIENCE);
            HangUp.await(stalled);
        }
    }

    @Test
    void aClientThatStallsIsDroppedInTime() throws IOException {
        DisposableServer impatient = echo("127.0.0.1")
                .options(o -> o.withHandshakeTimeout(Duration.ofMillis(500)))
                .bindNow(PATIENCE);
        try (Socket stalled = new Socket("127.0.0.1", impatient.port())) {
            stalled.getOutputStream().write(new byte[] {'J', 'R'});
            HangUp.await(stalled);
        }
        impatient.disposeNow(PATIENCE);
        assertServerLives();
    }

    private byte[] recordedHello() throws IOException {
        try (ServerSocket recorder = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Disposable connecting =
                    client().port(recorder.getLocalPort()).connect().subscribe(c -> {}, e -> {});
            try (Socket accepted = recorder.accept()) {
                return accepted.getInputStream().readNBytes(56);
            } finally {
                connecting.dispose();
            }
        }
    }

    @Test
    void clientsThatResetAfterTheirHelloLeaveNothing() throws IOException {
        byte[] hello = recordedHello();
        for (int i = 0; i < 40; i++) {
            try (Socket socket = new Socket("127.0.0.1", server.port())) {
                socket.setSoLinger(true, 0); // a reset instead of an orderly end
                socket.getOutputStream().write(hello);
                if (i % 2 == 0) {
                    LockSupport.parkNanos(i * 100_000L);
                }
            }
        }
        await().atMost(PATIENCE).until(() -> resources.endpoints().isEmpty());
        assertServerLives();
    }

    @Test
    void aMessageThatOutlivesItsResourcesStaysWhole() throws IOException {
        RdmaConnection connection = RdmaClient.create()
                .device(device())
                .host("127.0.0.1")
                .port(server.port())
                .connectNow(PATIENCE);
        byte[] sent = "kept for longer than the device".getBytes();
        ReceivedMessage kept =
                send(connection, sent).then(connection.receiveOwned().next()).block(PATIENCE);
        connection.disposeNow(PATIENCE); // the close of its device has to wait for the message
        assertThat(kept.toByteArray()).isEqualTo(sent);
        kept.close();
    }

    @Test
    void aPeerThatIsKilledEndsItsConnectionOnly() throws Exception {
        RdmaConnection survivor = client().connectNow(PATIENCE);
        try (JavaProcess doomed = new JavaProcess(DoomedPeer.class, device(), Integer.toString(server.port()))) {
            doomed.await("connected");
            assertThat(resources.endpoints()).hasSize(3); // the survivor's two, the server's of the doomed peer
            doomed.kill();
        }
        await().atMost(PATIENCE).until(() -> resources.endpoints().size() == 2);
        assertEchoes(survivor);
        survivor.disposeNow(PATIENCE);
    }

    private static RetryBackoffSpec soon() {
        return Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(20)).filter(RdmaException.class::isInstance);
    }

    @Test
    void aLostConnectionIsMadeAnewForItsHandler() throws IOException {
        List<RdmaConnection> connections = new CopyOnWriteArrayList<>();
        try (ServerSocket proxy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                CutWire wire = new CutWire(proxy, server.port())) {
            Mono<Void> running = RdmaClient.create()
                    .resources(resources)
                    .host("127.0.0.1")
                    .port(proxy.getLocalPort())
                    .receiveBuffers(16, 1024)
                    .reconnect(soon(), connection -> {
                        connections.add(connection);
                        if (connections.size() < 3) {
                            try {
                                wire.cut();
                            } catch (IOException e) {
                                return Mono.error(e);
                            }
                            return connection.receive(message -> message).then(); // fails with the loss
                        }
                        return Mono.empty();
                    });
            running.block(PATIENCE);
        }
        assertThat(connections).hasSize(3).allMatch(RdmaConnection::isDisposed);
        assertServerLives();
    }

    @Test
    void anErrorOfTheHandlerIsNotRetried() {
        AtomicInteger calls = new AtomicInteger();
        Mono<Void> running = client().reconnect(Retry.indefinitely(), connection -> {
            calls.incrementAndGet();
            return Mono.error(new IllegalStateException("mine"));
        });
        assertThatThrownBy(() -> running.block(PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("mine");
        assertThat(calls).hasValue(1);
        Mono<Void> throwing = client().reconnect(Retry.max(5), connection -> {
            throw new IllegalStateException("mine");
        });
        assertThatThrownBy(() -> throwing.block(PATIENCE)).hasMessage("mine");
    }

    @Test
    void aClientRetriesUntilTheServerIsThereOrTheRetriesAreExhausted() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        assertThatThrownBy(() -> client().port(port)
                        .reconnect(Retry.max(2), connection -> Mono.empty())
                        .block(PATIENCE))
                .matches(Exceptions::isRetryExhausted)
                .hasCauseInstanceOf(RdmaConnectException.class);
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<Void> done = client().port(port)
                .reconnect(
                        soon().doBeforeRetry(signal -> attempts.incrementAndGet()),
                        connection -> send(connection, "hello".getBytes()))
                .toFuture();
        await().atMost(PATIENCE).until(() -> attempts.get() > 1);
        DisposableServer late = echo("127.0.0.1").port(port).bindNow(PATIENCE);
        assertThat(done).succeedsWithin(PATIENCE);
        late.disposeNow(PATIENCE);
    }

    @Test
    void aReconnectThatIsCancelledClosesItsConnection() {
        AtomicReference<RdmaConnection> connected = new AtomicReference<>();
        Disposable running = client().reconnect(soon(), connection -> {
                    connected.set(connection);
                    return Mono.never();
                })
                .subscribe();
        await().atMost(PATIENCE).until(() -> connected.get() != null);
        running.dispose();
        connected.get().onDispose().block(PATIENCE);
    }

    @Test
    void aLostConnectionFailsItsPendingReceive() throws IOException {
        try (ServerSocket proxy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                CutWire wire = new CutWire(proxy, server.port())) {
            RdmaConnection connection = client().port(proxy.getLocalPort()).connectNow(PATIENCE);
            Mono<byte[]> receiving =
                    connection.receive(message -> message.toByteArray()).next().cache();
            receiving.subscribe(bytes -> {}, error -> {});
            wire.cut(); // the exchange connection ends without a farewell
            assertThatThrownBy(() -> receiving.block(PATIENCE))
                    .isInstanceOfSatisfying(
                            ConnectionClosedException.class, e -> assertThat(e).hasMessageContaining("lost"));
            connection.onDispose().block(PATIENCE);
        }
        assertServerLives();
    }

    @Test
    void aCompletionQueueWithoutRoomRefusesTheConnectionAndKeepsTheOthers() {
        RdmaConnection first = client().connectNow(PATIENCE);
        int tooMany = DeviceResources.of(resources).loops().getFirst().freeEntries();
        assertThatThrownBy(() -> client().queuePair(qp -> qp.withMaxSendWr(Math.min(tooMany, 16_000) + 1))
                        .connectNow(PATIENCE))
                .isInstanceOfSatisfying(RdmaConnectException.class, e -> {
                    assertThat(e.reason()).isEqualTo(Reason.DEVICE);
                    assertThat(e).hasMessageContaining("withMaxCompletionQueueEntries");
                });
        assertEchoes(first);
        first.disposeNow(PATIENCE);
    }

    @Test
    void aPortWithoutAListenerIsUnreachable() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        assertReason(Reason.UNREACHABLE, client().port(port));
    }

    @Test
    void anUnknownHostIsNamed() {
        assertReason(Reason.UNKNOWN_HOST, client().host("no-such-host.invalid"));
    }

    @Test
    void aServerOfAnotherKindIsAProtocolError() throws IOException {
        assertAnswerIs(Reason.PROTOCOL_ERROR, "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes());
    }

    @Test
    void aServerOfAnotherVersionIsNamed() throws IOException {
        assertAnswerIs(Reason.VERSION_MISMATCH, new byte[] {'J', 'R', 'D', 'M', 0, 99, 'Y'});
    }

    @Test
    void aServerWhoseParametersAreImpossibleIsAProtocolError() throws IOException {
        byte[] answer = new byte[7 + 48];
        System.arraycopy(new byte[] {'J', 'R', 'D', 'M', 0, 2, 'Y'}, 0, answer, 0, 7);
        assertAnswerIs(Reason.PROTOCOL_ERROR, answer); // queue pair number 0
    }

    private void assertAnswerIs(Reason reason, byte[] answer) throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> {
                try (Socket socket = other.accept()) {
                    socket.getOutputStream().write(answer);
                    socket.getInputStream().readAllBytes();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            assertReason(reason, client().port(other.getLocalPort()));
        }
    }

    @Test
    void aServerThatStallsIsATimeout() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertReason(
                    Reason.TIMEOUT,
                    client().port(silent.getLocalPort()).options(o -> o.withHandshakeTimeout(Duration.ofMillis(300))));
        }
    }

    @Test
    void garbageAndOtherVersionsDoNotDisturbTheServer() throws IOException {
        byte[] otherVersion = {'J', 'R', 'D', 'M', 0, 99, 0, 48};
        for (byte[] bytes : List.of("GET / HTTP/1.0\r\n\r\n".getBytes(), otherVersion, new byte[0], new byte[5000])) {
            try (Socket socket = new Socket("127.0.0.1", server.port())) {
                socket.getOutputStream().write(bytes);
                socket.shutdownOutput();
                socket.setSoTimeout(60_000);
                socket.getInputStream().readAllBytes(); // the server answers or closes, in bounded time
            } catch (java.net.SocketException reset) {
                // the server closed the socket with unread bytes
            }
        }
        assertServerLives();
    }

    /** The kernel keeps a port until the last thread has left accept(2), perhaps after its socket was closed. */
    @Test
    void aPortCanBeBoundAgainOnceTheServerIsClosed() {
        int port = TestPorts.free();
        DisposableServer before = echo("127.0.0.1").port(port).bindNow(PATIENCE);
        for (int round = 0; round < REBINDS; round++) {
            before.disposeNow(PATIENCE);
            before = echo("127.0.0.1").port(port).bindNow(PATIENCE);
        }
        before.disposeNow(PATIENCE);
    }

    @Test
    void aPortInUseAndAnUnknownDeviceAreNamed() {
        assertThatThrownBy(() -> echo("127.0.0.1").port(server.port()).bindNow(PATIENCE))
                .isInstanceOfSatisfying(
                        RdmaConnectException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BIND));
        assertThatThrownBy(() -> RdmaClient.create().device("nosuch0").connectNow(PATIENCE))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("soft0");
    }

    private static AbstractThrowableAssert<?, ?> assertReason(Reason reason, RdmaClient client) {
        return assertThatThrownBy(() -> client.connectNow(PATIENCE))
                .isInstanceOfSatisfying(
                        RdmaConnectException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }
}
