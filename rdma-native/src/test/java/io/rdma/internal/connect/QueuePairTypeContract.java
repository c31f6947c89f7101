package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.connect.PathOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.TestDevice;
import io.rdma.verbs.QueuePairType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections of both types of queue pairs: who agrees, and what refuses an unreliable one. */
abstract class QueuePairTypeContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ConnectionOptions UNRELIABLE = ConnectionOptions.DEFAULT.withQueuePairType(QueuePairType.UC);

    private DeviceResources resources;

    abstract String device();

    @BeforeEach
    void open() {
        resources = new DeviceResources(TestDevice.assumedInfiniBand(device()));
    }

    @AfterEach
    void close() {
        if (resources != null) {
            resources.close();
            TestDevice.awaitClosed(resources.context());
        }
    }

    private InetSocketAddress anyPort() {
        return new InetSocketAddress(TestDevice.host(device()), 0);
    }

    private RdmaListener listen(ConnectionOptions options, CompletableFuture<EstablishedConnection> accepted) {
        return RdmaListener.bind(resources, options, AdmissionLimits.DEFAULT, anyPort(), accepted::complete);
    }

    private static Endpoint join(CompletableFuture<EstablishedConnection> one) {
        return one.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join().endpoint();
    }

    private static RdmaConnectException refusal(CompletableFuture<EstablishedConnection> one) {
        Throwable failure = catchThrowableOfType(CompletionException.class, () -> join(one));
        return (RdmaConnectException) failure.getCause();
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTOMATIC", "TCP"})
    void bothSidesGetTheTypeThatTheyAskFor(ConnectMethod method) {
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        ConnectionOptions options = UNRELIABLE.withConnectMethod(method);
        try (RdmaListener listener = listen(options, accepted)) {
            Endpoint client = join(ConnectOutcome.of(resources, options, listener.address()));
            for (Endpoint one : new Endpoint[] {client, join(accepted)}) {
                assertThat(one.options().credits()).isFalse();
                assertThat(one.options().maxRdAtomic()).isZero();
                assertThat(one.options().farewells()).isFalse();
                assertThat(one.options().batches()).isFalse();
                assertThat(one.options().abilities().numbersMessages()).isTrue();
                one.close();
                assertThat(one.closed()).succeedsWithin(PATIENCE);
            }
        }
    }

    /** The client counts no credits, but that is not the option that is wrong. */
    @Test
    void aServerThatRequiresCreditsNamesTheType() {
        ConnectionOptions required = ConnectionOptions.DEFAULT.withFlowControl(FlowControl.CREDITS_REQUIRED);
        try (RdmaListener listener = listen(required, new CompletableFuture<>())) {
            assertThat(refusal(ConnectOutcome.of(resources, UNRELIABLE, listener.address())))
                    .hasMessageContaining("the peer asks")
                    .hasMessageContaining("queuePairType");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "UC"})
    void aServerRefusesAClientOfTheOtherType(QueuePairType client) {
        QueuePairType server = client == QueuePairType.RC ? QueuePairType.UC : QueuePairType.RC;
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        try (RdmaListener listener = listen(UNRELIABLE.withQueuePairType(server), accepted)) {
            RdmaConnectException refused = refusal(ConnectOutcome.of(
                    resources,
                    UNRELIABLE.withConnectMethod(ConnectMethod.TCP).withQueuePairType(client),
                    listener.address()));
            assertThat(refused.reason()).isEqualTo(Reason.REJECTED);
            assertThat(refused)
                    .hasMessageContaining(client == QueuePairType.UC ? "the peer asks" : "this side asks")
                    .hasMessageContaining("queuePairType");
        }
        assertThat(accepted).isNotDone();
    }

    @Test
    void aClientRefusesAServerFromBeforeTheOption() throws Exception {
        OldPeer old = new OldPeer(resources, ConnectionOptions.DEFAULT.withConnectMethod(ConnectMethod.TCP));
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName(TestDevice.host(device())))) {
            ConnectOutcome connecting =
                    ConnectOutcome.of(resources, UNRELIABLE, (InetSocketAddress) listening.getLocalSocketAddress());
            Socket[] accepted = new Socket[1];
            assertThatThrownBy(() -> old.accept(listening, accepted)).isInstanceOf(java.io.IOException.class);
            accepted[0].close();
            RdmaConnectException refused = refusal(connecting);
            assertThat(refused.reason()).isEqualTo(Reason.QUEUE_PAIR_TYPE);
            assertThat(refused).hasMessageContaining("this side asks");
        }
    }

    private void assertImpossible(DeviceResources of, ConnectionOptions options, Reason reason, String remedy) {
        RdmaConnectException atConnect = refusal(ConnectOutcome.of(of, options, new InetSocketAddress("127.0.0.1", 9)));
        RdmaConnectException atBind = catchThrowableOfType(
                RdmaConnectException.class,
                () -> RdmaListener.bind(of, options, AdmissionLimits.DEFAULT, anyPort(), accepted -> {}));
        for (RdmaConnectException refused : new RdmaConnectException[] {atConnect, atBind}) {
            assertThat(refused.reason()).isEqualTo(reason);
            assertThat(refused).hasMessageContaining("unreliable connection").hasMessageContaining(remedy);
        }
    }

    @Test
    void whatNeedsAReliableConnectionIsRefusedAtConnectAndAtBind() {
        assertImpossible(
                resources,
                UNRELIABLE.withConnectMethod(ConnectMethod.RDMA_CM),
                Reason.DEVICE,
                "ConnectMethod.AUTOMATIC or TCP");
        assertImpossible(
                resources,
                UNRELIABLE.withPath(PathOptions.DEFAULT.withAlternateGidAddress(InetAddress.getLoopbackAddress())),
                Reason.DEVICE,
                "alternateGidAddress");
        assertImpossible(
                resources,
                UNRELIABLE.withFlowControl(FlowControl.CREDITS_REQUIRED),
                Reason.FLOW_CONTROL,
                "FlowControl.CREDITS");
    }

    @Test
    void sharedReceiveBuffersAreRefused() {
        try (DeviceResources sharing = new DeviceResources(
                TestDevice.assumed(device()), ResourceOptions.DEFAULT.withSharedReceiveBuffers(64, 1024))) {
            assertImpossible(sharing, UNRELIABLE, Reason.FLOW_CONTROL, "sharedReceiveBuffers");
        }
    }

    /** The device itself says what it makes. */
    @Test
    void aDeviceWithoutSuchQueuePairsIsRefused() {
        try (DeviceResources iwarp = new DeviceResources(TestDevice.assumed("soft-iwarp0"))) {
            assertImpossible(iwarp, UNRELIABLE, Reason.DEVICE, "leave queuePairType out");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UD", "XRC_SEND", "XRC_RECV"})
    void anyOtherTypeIsNoOption(QueuePairType type) {
        assertThatThrownBy(() -> ConnectionOptions.DEFAULT.withQueuePairType(type))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("RC or UC");
    }
}
