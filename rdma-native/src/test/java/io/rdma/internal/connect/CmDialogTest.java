package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.ResourceOptions;
import io.rdma.environment.Environment;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.TestDevice;
import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import io.rdma.types.RdmaException;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventChannel;
import io.rdma.verbs.CmEventOf;
import io.rdma.verbs.CmIdentifier;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Effects of each event of the connection manager on a pending connect and on a connection, including events that no
 * device sends here by itself.
 */
class CmDialogTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int STATUS = -110;

    private DeviceResources resources;
    private CmEventChannel channel;
    private CmIdentifier identifier;
    private final CmDialog dialog = new CmDialog(Environment.SYSTEM, "the peer", PATIENCE);

    @BeforeEach
    void open() {
        resources = new DeviceResources(TestDevice.assumed("soft0"), ResourceOptions.DEFAULT);
        channel = resources.context().createEventChannel();
        identifier = channel.createIdentifier(PortSpace.TCP);
    }

    @AfterEach
    void close() {
        identifier.close();
        channel.close();
        resources.close();
    }

    private CmEvent event(CmEventType type) {
        return CmEventOf.type(type, STATUS, identifier);
    }

    @ParameterizedTest
    @CsvSource({
        "ADDR_ERROR, ADDR_ERROR",
        "ROUTE_ERROR, ROUTE_ERROR",
        "UNREACHABLE, UNREACHABLE",
        "REJECTED, REJECTED",
        "CONNECT_ERROR, CONNECT_ERROR",
        "DEVICE_REMOVAL, DEVICE",
        "DISCONNECTED, CONNECT_ERROR"
    })
    void aConnectThatWaitsFailsWithTheReason(CmEventType type, Reason reason) {
        dialog.accept(event(type));
        assertThatThrownBy(() -> dialog.await(CmEventType.ROUTE_RESOLVED))
                .isInstanceOfSatisfying(RdmaConnectException.class, e -> {
                    assertThat(e.reason()).isEqualTo(reason);
                    assertThat(e.status()).isEqualTo(STATUS);
                })
                .hasMessageContaining("the peer")
                .hasMessageContaining(type.name());
    }

    @ParameterizedTest
    @EnumSource(names = {"ADDR_CHANGE", "TIMEWAIT_EXIT"})
    void aConnectThatWaitsGoesOn(CmEventType type) {
        dialog.accept(event(type));
        CmEvent wanted = event(CmEventType.ROUTE_RESOLVED);
        dialog.accept(wanted);
        assertThat(dialog.await(CmEventType.ROUTE_RESOLVED)).isSameAs(wanted);
    }

    @ParameterizedTest
    @EnumSource(names = {"DEVICE_REMOVAL", "UNREACHABLE", "CONNECT_ERROR", "REJECTED"})
    void aConnectionEndsWithTheCause(CmEventType type) {
        try (Connected connected = new Connected()) {
            dialog.follow(connected.client);
            dialog.accept(event(type));
            await().atMost(PATIENCE).until(() -> connected.client.closed().isDone());
            assertThat(connected.client.failure())
                    .isInstanceOf(RdmaException.class)
                    .hasMessageContaining(type == CmEventType.DEVICE_REMOVAL ? "removed" : type.name());
        }
    }

    @Test
    void anEventBeforeTheConnectionExistsEndsItToo() {
        try (Connected connected = new Connected()) {
            dialog.accept(event(CmEventType.DEVICE_REMOVAL));
            dialog.follow(connected.client);
            await().atMost(PATIENCE).until(() -> connected.client.closed().isDone());
            assertThat(connected.client.failure()).hasMessageContaining("removed");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ADDR_CHANGE", "TIMEWAIT_EXIT"})
    void aConnectionGoesOn(CmEventType type) {
        try (Connected connected = new Connected()) {
            dialog.follow(connected.client);
            dialog.accept(event(type)); // handled when this returns
            assertThat(connected.client.isClosing()).isFalse();
        }
    }

    /** Disconnects without a farewell, as the kernel of a killed process does. */
    @Test
    void aDisconnectWithoutAFarewellIsALoss() {
        try (Connected connected = new Connected()) {
            dialog.follow(connected.client);
            dialog.accept(event(CmEventType.DISCONNECTED));
            await().atMost(PATIENCE).until(() -> connected.client.closed().isDone());
            assertThat(connected.client.failure()).hasMessageContaining("without a farewell");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOptionDecidesWhetherADisconnectOfAPlainPeerIsOrderly(boolean orderly) {
        ConnectionOptions plain =
                ConnectionOptions.DEFAULT.withFlowControl(FlowControl.PLAIN).withOrderlyDisconnect(orderly);
        try (Connected connected = new Connected(plain)) {
            dialog.follow(connected.client);
            dialog.accept(event(CmEventType.DISCONNECTED));
            await().atMost(PATIENCE).until(() -> connected.client.closed().isDone());
            assertThat(connected.client.failure() == null).isEqualTo(orderly);
        }
    }

    /** Connection that was made apart from the dialog, which then follows it. */
    private final class Connected implements AutoCloseable {
        private final CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        private final RdmaListener listener;
        private final Endpoint client;

        Connected() {
            this(ConnectionOptions.DEFAULT);
        }

        Connected(ConnectionOptions options) {
            listener = RdmaListener.bind(
                    resources,
                    options,
                    AdmissionLimits.DEFAULT,
                    new InetSocketAddress("127.0.0.1", 0),
                    accepted::complete);
            ConnectOutcome outcome = ConnectOutcome.of(resources, options, listener.address());
            client = join(outcome);
        }

        private static Endpoint join(CompletableFuture<EstablishedConnection> one) {
            return one.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join().endpoint();
        }

        @Override
        public void close() {
            client.close();
            Endpoint server = join(accepted);
            server.close();
            await().atMost(PATIENCE)
                    .until(() -> client.closed().isDone() && server.closed().isDone());
            listener.close();
        }
    }
}
