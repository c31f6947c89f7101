package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.PathOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.testing.ConnectOutcome;
import io.rdma.types.GidType;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.GlobalRoute;
import io.rdma.verbs.RdmaDevices;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Paths of iWARP: it has a traffic class, a port and an address, and each other part is refused by name. */
class IwarpPathTest {
    private static final int PATIENCE_SECONDS = 60;

    private DeviceResources resources;

    @BeforeEach
    void open() {
        resources = new DeviceResources(RdmaDevices.named("soft-iwarp0"));
    }

    @AfterEach
    void close() {
        resources.close();
    }

    private static ConnectionOptions options(PathOptions path) {
        return ConnectionOptions.DEFAULT.withPath(path);
    }

    private static int trafficClass(CompletableFuture<EstablishedConnection> one) {
        Endpoint endpoint =
                one.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join().endpoint();
        AddressHandleAttributes path = Objects.requireNonNull(endpoint.query().path());
        GlobalRoute route = Objects.requireNonNull(path.route());
        return route.trafficClass();
    }

    @Test
    void eachSideHasItsOwnTrafficClass() {
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        try (RdmaListener listener = RdmaListener.bind(
                resources,
                options(PathOptions.DEFAULT.withTrafficClass(0x20)),
                AdmissionLimits.DEFAULT,
                new InetSocketAddress("127.0.0.1", 0),
                accepted::complete)) {
            PathOptions client = PathOptions.DEFAULT.withTrafficClass(0x68).withPort(1);
            assertThat(trafficClass(ConnectOutcome.of(resources, options(client), listener.address())))
                    .isEqualTo(0x68);
            assertThat(trafficClass(accepted)).isEqualTo(0x20);
        }
    }

    @Test
    void theAddressIsThatOfTheConnection() throws Exception {
        InetAddress here = InetAddress.getByName("127.0.0.1");
        PathOptions from = PathOptions.DEFAULT.withGidAddress(here);
        InetSocketAddress any = new InetSocketAddress(here, 0);
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        try (RdmaListener listener =
                RdmaListener.bind(resources, options(from), AdmissionLimits.DEFAULT, any, accepted::complete)) {
            EstablishedConnection client = ConnectOutcome.of(resources, options(from), listener.address())
                    .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .join();
            assertThat(client.localAddress().getAddress()).isEqualTo(here);
            accepted.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        }
        PathOptions other = PathOptions.DEFAULT.withGidAddress(InetAddress.getByName("127.0.0.2"));
        try (RdmaListener listener =
                RdmaListener.bind(resources, options(other), AdmissionLimits.DEFAULT, any, one -> {})) {
            assertThatThrownBy(() -> ConnectOutcome.of(resources, options(from), listener.address())
                            .get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(RdmaConnectException.class);
        }
    }

    @Test
    void whatItLacksIsRefusedByName() {
        Map.of(
                        "serviceLevel 1", PathOptions.DEFAULT.withServiceLevel(1),
                        "hopLimit 2", PathOptions.DEFAULT.withHopLimit(2),
                        "flowLabel 3", PathOptions.DEFAULT.withFlowLabel(3),
                        "partitionKey 4", PathOptions.DEFAULT.withPartitionKey(4),
                        "partitionIndex 5", PathOptions.DEFAULT.withPartitionIndex(5),
                        "gidType IB", PathOptions.DEFAULT.withGidType(GidType.IB))
                .forEach((name, path) -> assertThatThrownBy(
                                () -> ConnectOutcome.of(resources, options(path), new InetSocketAddress("127.0.0.1", 1))
                                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                        .cause()
                        .isInstanceOfSatisfying(
                                RdmaConnectException.class,
                                e -> assertThat(e.reason()).isEqualTo(Reason.DEVICE))
                        .hasMessageContaining(name)
                        .hasMessageContaining("iWARP has none"));
    }

    @Test
    void itsConnectionsDoNotMigrate() {
        ConnectionOptions migrating =
                options(PathOptions.DEFAULT.withAlternateGidAddress(InetAddress.ofLiteral("127.0.0.2")));
        InetSocketAddress any = new InetSocketAddress("127.0.0.1", 0);
        assertThatThrownBy(() -> RdmaListener.bind(resources, migrating, AdmissionLimits.DEFAULT, any, one -> {}))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContainingAll("alternateGidAddress 127.0.0.2", "IBV_DEVICE_AUTO_PATH_MIG");
        assertThatThrownBy(() -> ConnectOutcome.of(resources, migrating, new InetSocketAddress("127.0.0.1", 1))
                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContainingAll("alternateGidAddress 127.0.0.2", "IBV_DEVICE_AUTO_PATH_MIG");
    }
}
