package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.NewestFirst;
import io.rdma.testing.TestDevice;
import io.rdma.types.Errno;
import io.rdma.types.PortSpace;
import io.rdma.verbs.CmEnd;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventChannel;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections of the engine through the connection manager, and the errors of connects that fail. */
abstract class CmConnectContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT
            .withConnectMethod(ConnectMethod.RDMA_CM)
            .withReceiveBuffers(8, 1024)
            .withSendBuffers(4, 1024);

    private final NewestFirst opened = new NewestFirst();
    private DeviceResources resources;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of the device. */
    abstract String host();

    @BeforeEach
    void open() {
        TestDevice.assumed(device());
        resources = opened.later(new DeviceResources(
                TestDevice.assumed(device()), ResourceOptions.DEFAULT.withCompletionQueueEntries(2048)));
    }

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
    }

    private RdmaListener listen(
            ConnectionOptions options, AdmissionLimits limits, Consumer<EstablishedConnection> served) {
        return opened.later(RdmaListener.bind(resources, options, limits, new InetSocketAddress(host(), 0), served));
    }

    private EstablishedConnection connect(ConnectionOptions options, InetSocketAddress to) {
        return result(ConnectOutcome.of(resources, options, to));
    }

    private static EstablishedConnection result(ConnectOutcome outcome) {
        try {
            return join(outcome);
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }

    private static EstablishedConnection join(CompletableFuture<EstablishedConnection> one) {
        return one.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static void refused(Reason reason, Runnable connect) {
        assertThatThrownBy(connect::run)
                .isInstanceOfSatisfying(
                        RdmaConnectException.class,
                        e -> assertThat(e.reason()).as("%s", e).isEqualTo(reason));
    }

    @Test
    void bothSidesKnowEachOtherAndLearnOfTheEnd() {
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        RdmaListener listener = listen(OPTIONS, AdmissionLimits.DEFAULT, accepted::complete);
        EstablishedConnection client = connect(OPTIONS, listener.address());
        EstablishedConnection server = join(accepted);
        assertThat(client.remoteAddress()).isEqualTo(listener.address());
        assertThat(server.localAddress()).isEqualTo(listener.address());
        listener.close();
        assertThat(server.endpoint().isClosing()).isFalse();
        client.endpoint().close();
        await().atMost(PATIENCE).until(() -> server.endpoint().closed().isDone());
        assertThat(server.endpoint().failure()).isNull();
    }

    /**
     * Closes the connections of a server while a handler runs, for both ways to connect. No connection may be left
     * behind because its handler has not returned.
     */
    @ParameterizedTest
    @EnumSource(names = {"RDMA_CM", "TCP"})
    void closeConnectionsEndsAConnectionWhoseHandlerStillRuns(ConnectMethod connector) {
        TestDevice.assumeMethod(device(), connector);
        ConnectionOptions options = OPTIONS.withConnectMethod(connector);
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        CompletableFuture<Void> handled = new CompletableFuture<>();
        RdmaListener listener = listen(options, AdmissionLimits.DEFAULT, connection -> {
            accepted.complete(connection);
            handled.join();
        });
        Endpoint client = connect(options, listener.address()).endpoint();
        Endpoint server = join(accepted).endpoint(); // otherwise the close may interrupt the exchange
        listener.close();
        listener.closeConnections();
        assertThat(resources.endpoints()).doesNotContain(server);
        handled.complete(null);
        await().atMost(PATIENCE).until(() -> client.closed().isDone());
    }

    @Test
    void aClientBeyondTheLimitIsToldTheReason() {
        RdmaListener listener = listen(OPTIONS, AdmissionLimits.DEFAULT.withConnections(1), connection -> {});
        EstablishedConnection first = connect(OPTIONS, listener.address());
        assertThatThrownBy(() -> connect(OPTIONS, listener.address()))
                .isInstanceOfSatisfying(RdmaConnectException.class, e -> {
                    assertThat(e.reason()).isEqualTo(Reason.REJECTED);
                    assertThat(e.status()).isEqualTo(status(28, Errno.ECONNRESET));
                })
                .hasMessageContaining("as many connections as it admits");
        assertThat(first.endpoint().isClosing()).isFalse();
    }

    @Test
    void nobodyListens() {
        RdmaListener listener = listen(OPTIONS, AdmissionLimits.DEFAULT, connection -> {});
        InetSocketAddress was = listener.address();
        listener.close();
        assertThatThrownBy(() -> connect(OPTIONS, was))
                .isInstanceOfSatisfying(RdmaConnectException.class, e -> {
                    assertThat(e.reason()).isEqualTo(Reason.REJECTED);
                    assertThat(e.status()).isEqualTo(status(CmConnector.INVALID_SERVICE_ID, Errno.ECONNREFUSED));
                })
                .hasMessageContaining("Is the server running?");
    }

    /**
     * Returns the status of a rejection.
     *
     * @param reason reason of InfiniBand's connection manager
     * @param errno error of the connection by TCP, which is all that a real iWARP device says
     */
    private int status(int reason, int errno) {
        return TestDevice.connectsByMpa(device()) ? -errno : reason;
    }

    @Test
    void aPortInUseCannotBeBound() {
        RdmaListener listener = listen(OPTIONS, AdmissionLimits.DEFAULT, connection -> {});
        refused(
                Reason.BIND,
                () -> RdmaListener.bind(
                        resources, OPTIONS, AdmissionLimits.DEFAULT, listener.address(), connection -> {}));
    }

    @Test
    void automaticConnectsToAListenerOfTheTcpExchangeOnly() {
        TestDevice.assumeMethod(device(), ConnectMethod.TCP);
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        ConnectionOptions tcp = OPTIONS.withConnectMethod(ConnectMethod.TCP);
        RdmaListener listener = listen(tcp, AdmissionLimits.DEFAULT, accepted::complete);
        Endpoint client = connect(OPTIONS.withConnectMethod(ConnectMethod.AUTOMATIC), listener.address())
                .endpoint();
        assertThat(client.isClosing()).isFalse();
        join(accepted).endpoint().close();
        await().atMost(PATIENCE).until(() -> client.closed().isDone());
    }

    @Test
    void theDefaultOnARealDeviceIsRdmaCm() {
        Assumptions.assumeFalse(
                resources.context().isSoftware(), "the default of the software device is the exchange over TCP");
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        RdmaListener listener = listen(OPTIONS, AdmissionLimits.DEFAULT, accepted::complete);
        connect(OPTIONS.withConnectMethod(ConnectionOptions.DEFAULT.connectMethod()), listener.address());
        assertThat(join(accepted).endpoint().isClosing()).isFalse();
    }

    @Test
    void aListenerForBothMethodsAcceptsEither() {
        TestDevice.assumeMethod(device(), ConnectMethod.TCP);
        CompletableFuture<EstablishedConnection> first = new CompletableFuture<>();
        CompletableFuture<EstablishedConnection> second = new CompletableFuture<>();
        RdmaListener listener =
                listen(OPTIONS.withConnectMethod(ConnectMethod.AUTOMATIC), AdmissionLimits.DEFAULT, connection -> {
                    if (!first.complete(connection)) {
                        second.complete(connection);
                    }
                });
        connect(OPTIONS.withConnectMethod(ConnectMethod.TCP), listener.address());
        join(first);
        ConnectMethod other = resources.context().isSoftware() ? ConnectMethod.AUTOMATIC : ConnectMethod.RDMA_CM;
        connect(OPTIONS.withConnectMethod(other), listener.address());
        join(second);
    }

    /** Peer that does not use this library. */
    private final class Stranger implements AutoCloseable {
        final CmEventChannel channel = TestDevice.assumed(device()).createEventChannel();
        final CmIdentifier listener = channel.createIdentifier(PortSpace.TCP);

        Stranger() {
            listener.bind(new InetSocketAddress(host(), 0));
            listener.listen(8);
        }

        CmEvent next() {
            await().atMost(PATIENCE).until(() -> channel.await(100));
            CmEvent event = channel.take();
            assertThat(event).isNotNull();
            return event;
        }

        @Override
        public void close() {
            listener.close();
            channel.close();
        }
    }

    @Test
    void aConnectWithoutAnAnswerTimesOut() {
        Stranger stranger = opened.later(new Stranger());
        ConnectionOptions hasty = OPTIONS.withHandshakeTimeout(Duration.ofSeconds(10));
        refused(Reason.TIMEOUT, () -> connect(hasty, stranger.listener.localAddress()));
        opened.later(stranger.next().identifier());
    }

    @Test
    void aCancelledConnectFailsAsCancelled() {
        Stranger stranger = opened.later(new Stranger());
        ConnectOutcome outcome = new ConnectOutcome();
        RdmaConnector connector = RdmaConnector.connect(resources, OPTIONS, stranger.listener.localAddress(), outcome);
        opened.later(stranger.next().identifier());
        connector.cancel();
        refused(Reason.CANCELLED, () -> result(outcome));
    }

    @Test
    void closedResourcesCancelPendingConnectsAndRefuseNewOnes() {
        Stranger stranger = opened.later(new Stranger());
        DeviceResources closing = opened.later(new DeviceResources(TestDevice.assumed(device())));
        ConnectOutcome outcome = ConnectOutcome.of(closing, OPTIONS, stranger.listener.localAddress());
        opened.later(stranger.next().identifier()); // the queue pair exists, and the peer does not answer
        closing.close();
        refused(Reason.CANCELLED, () -> result(outcome));
        TestDevice.awaitClosed(closing.context());
        ConnectOutcome late = ConnectOutcome.of(closing, OPTIONS, stranger.listener.localAddress());
        assertThatThrownBy(() -> result(late)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aForeignRejectionArrivesWithItsPrivateData() {
        Stranger stranger = opened.later(new Stranger());
        ConnectOutcome outcome = ConnectOutcome.of(resources, OPTIONS, stranger.listener.localAddress());
        CmIdentifier request = opened.later(stranger.next().identifier());
        request.reject(new byte[] {1, 2, 3});
        assertThatThrownBy(() -> join(outcome)).cause().isInstanceOfSatisfying(RdmaConnectException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.REJECTED);
            assertThat(e.privateData()).startsWith(1, 2, 3);
        });
    }

    /** Connects to a foreign peer that accepts with its own private data, or with none. */
    private CmEnd accepted(ConnectOutcome outcome, ConnectionParameters parameters) {
        Stranger stranger = opened.later(new Stranger());
        RdmaConnector.connect(resources, OPTIONS, stranger.listener.localAddress(), outcome);
        CmIdentifier request = opened.later(stranger.next().identifier());
        CmEnd end = opened.later(CmEnd.of(request));
        request.accept(parameters);
        return end;
    }

    @Test
    void messagesOfAForeignPeerHaveNoFrames() {
        Assumptions.assumeFalse(
                resources.context().isIwarp(), "the server speaks first, which RFC 5044, 7.1.2, forbids");
        ConnectOutcome outcome = new ConnectOutcome();
        CmEnd stranger = accepted(outcome, ConnectionParameters.DEFAULT);
        Endpoint endpoint = join(outcome).endpoint();
        stranger.send("payload only");
        await().atMost(PATIENCE).untilAsserted(() -> {
            ReceivedMessage message = endpoint.receives().poll();
            assertThat(message).isNotNull();
            assertThat(new String(message.toByteArray(), StandardCharsets.UTF_8))
                    .isEqualTo("payload only");
            message.close();
        });
        endpoint.close();
        await().atMost(PATIENCE).until(() -> endpoint.closed().isDone());
    }

    private void refused(Reason reason, byte[] greeting) {
        ConnectOutcome outcome = new ConnectOutcome();
        accepted(outcome, ConnectionParameters.DEFAULT.withPrivateData(greeting));
        assertThatThrownBy(() -> join(outcome))
                .cause()
                .isInstanceOfSatisfying(
                        RdmaConnectException.class,
                        e -> assertThat(e.reason()).as("%s", e).isEqualTo(reason));
    }

    @Test
    void anUnknownVersionIsAVersionMismatch() {
        byte[] greeting =
                ByteBuffer.allocate(20).putInt(0x4a52444d).putShort((short) 77).array();
        refused(Reason.VERSION_MISMATCH, greeting);
    }

    @Test
    void impossibleParametersAreRefused() {
        byte[] greeting = ByteBuffer.allocate(20)
                .putInt(0x4a52444d)
                .putShort((short) CmGreeting.OFFER.lowest())
                .putShort((short) 0x100)
                .putInt(-1)
                .putInt(-1)
                .putInt(-1)
                .array();
        refused(Reason.PROTOCOL_ERROR, greeting);
    }
}
