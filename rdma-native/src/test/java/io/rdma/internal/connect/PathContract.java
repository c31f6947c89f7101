package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.PathOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.NewestFirst;
import io.rdma.testing.TestDevice;
import io.rdma.types.GidType;
import io.rdma.types.PortState;
import io.rdma.verbs.GlobalRoute;
import io.rdma.verbs.QueuePairInfo;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Paths that options ask for: the queue pairs of connections have them, or connecting fails with the option's name. */
abstract class PathContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CLASS = 0x68;
    private static final int OTHER_CLASS = 0x20;

    private final NewestFirst opened = new NewestFirst();
    private DeviceResources resources;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of the device. */
    abstract String host();

    /** Returns whether packets have the hop limit of their path. */
    abstract boolean takesHopLimits();

    private static void refusalIsExpected(boolean possible, RdmaConnectException refusal) {
        assertThat(possible).as(refusal.getMessage()).isFalse();
    }

    @BeforeEach
    void open() {
        resources = opened.later(new DeviceResources(
                TestDevice.assumed(device()), ResourceOptions.DEFAULT.withCompletionQueueEntries(2048)));
        Assumptions.assumeFalse(resources.context().isIwarp(), "iWARP has few parts of a path");
    }

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
    }

    private static ConnectionOptions options(ConnectMethod method, PathOptions path) {
        return ConnectionOptions.DEFAULT
                .withConnectMethod(method)
                .withReceiveBuffers(8, 1024)
                .withSendBuffers(4, 1024)
                .withPath(path);
    }

    /** Ends of a connection. */
    private record Ends(QueuePairInfo client, QueuePairInfo server) {}

    private Ends connected(ConnectMethod method, PathOptions client, PathOptions server) {
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        RdmaListener listener = opened.later(RdmaListener.bind(
                resources,
                options(method, server),
                AdmissionLimits.DEFAULT,
                new InetSocketAddress(host(), 0),
                accepted::complete));
        Endpoint endpoint = join(ConnectOutcome.of(resources, options(method, client), listener.address()));
        return new Ends(endpoint.query(), join(accepted).query());
    }

    private static Endpoint join(CompletableFuture<EstablishedConnection> one) {
        try {
            return one.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join().endpoint();
        } catch (CompletionException e) {
            throw (RuntimeException) e.getCause();
        }
    }

    private static GlobalRoute route(QueuePairInfo of) {
        assertThat(of.path()).isNotNull();
        assertThat(of.path().route()).isNotNull();
        return of.path().route();
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA_CM", "TCP"})
    void eachSideHasItsOwnTrafficClass(ConnectMethod method) {
        PathOptions asked = PathOptions.DEFAULT.withDscp(CLASS >> 2);
        Ends ends = connected(method, asked, PathOptions.DEFAULT.withTrafficClass(OTHER_CLASS));
        assertThat(route(ends.client).trafficClass()).isEqualTo(CLASS);
        assertThat(route(ends.server).trafficClass()).isEqualTo(OTHER_CLASS);
    }

    /** RDMA CM's request carries the client's class; the exchange does not. */
    @ParameterizedTest
    @EnumSource(names = {"RDMA_CM", "TCP"})
    void aServerWithoutAWishAnswersAsTheWayOfConnectingHasIt(ConnectMethod method) {
        Ends ends = connected(method, PathOptions.DEFAULT.withTrafficClass(CLASS), PathOptions.DEFAULT);
        assertThat(route(ends.server).trafficClass()).isEqualTo(method == ConnectMethod.TCP ? 0 : CLASS);
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA_CM", "TCP"})
    void whatIsThereCanBeAskedFor(ConnectMethod method) throws Exception {
        PathOptions there = PathOptions.DEFAULT
                .withServiceLevel(0)
                .withPort(port())
                .withPartitionKey(0x7fff)
                .withGidType(GidType.ROCE_V2)
                .withGidAddress(InetAddress.getByName(host()));
        Ends ends = connected(method, there, there);
        assertThat(ends.client.portNum()).isEqualTo(port());
        assertThat(ends.client.pkeyIndex()).isZero();
        PathOptions byIndex = PathOptions.DEFAULT.withPartitionIndex(0);
        assertThat(connected(method, byIndex, byIndex).server.pkeyIndex()).isZero();
    }

    private int port() {
        return TestDevice.port(resources.context());
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA_CM", "TCP"})
    void thePortThatIsActiveIsTaken(ConnectMethod method) {
        Ends ends = connected(method, PathOptions.DEFAULT, PathOptions.DEFAULT);
        assertThat(ends.client.portNum()).isEqualTo(port());
        assertThat(ends.server.portNum()).isEqualTo(port());
    }

    @Test
    void aPortThatIsDownIsRefused() {
        Assumptions.assumeTrue(
                resources.context().queryPort(1).state() != PortState.ACTIVE,
                device() + " has no port that is down beside one that is not");
        PathOptions down = PathOptions.DEFAULT.withPort(1);
        refused(down, "port 1", device());
        assertThatThrownBy(() -> connected(ConnectMethod.TCP, down, PathOptions.DEFAULT))
                .hasMessageContainingAll("is DOWN", "leave the path's port out");
        assertThatThrownBy(() -> connected(ConnectMethod.TCP, PathOptions.DEFAULT, down))
                .as("bind of a server")
                .isInstanceOfSatisfying(
                        RdmaConnectException.class, e -> assertThat(e.reason()).isEqualTo(Reason.DEVICE));
        assertThatThrownBy(() -> connected(ConnectMethod.RDMA_CM, down, PathOptions.DEFAULT))
                .hasMessageContaining("the addresses lead to port " + port());
        impossible(options(ConnectMethod.AUTOMATIC, down), "port 1");
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA_CM", "TCP"})
    void aHopLimitIsTakenOrRefused(ConnectMethod method) {
        PathOptions asked = PathOptions.DEFAULT.withHopLimit(17);
        try {
            assertThat(route(connected(method, asked, PathOptions.DEFAULT).client)
                            .hopLimit())
                    .isEqualTo(17);
            assertThat(route(connected(method, PathOptions.DEFAULT, asked).server)
                            .hopLimit())
                    .isEqualTo(17);
        } catch (RdmaConnectException e) {
            assertThat(e).hasMessageContaining("hopLimit 17").hasMessageContaining("ip route");
            refusalIsExpected(takesHopLimits(), e);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA_CM", "TCP"})
    void aFlowLabelIsTakenOrRefused(ConnectMethod method) {
        PathOptions asked = PathOptions.DEFAULT.withFlowLabel(0x12345);
        try {
            assertThat(route(connected(method, asked, PathOptions.DEFAULT).client)
                            .flowLabel())
                    .isEqualTo(0x12345);
            assertThat(route(connected(method, PathOptions.DEFAULT, asked).server)
                            .flowLabel())
                    .isEqualTo(0x12345);
        } catch (RdmaConnectException e) {
            assertThat(e).hasMessageContaining("flowLabel " + 0x12345).hasMessageContaining("IPv4");
            refusalIsExpected(false, e);
        }
    }

    private void refused(PathOptions path, String... parts) {
        for (ConnectMethod method : new ConnectMethod[] {ConnectMethod.TCP, ConnectMethod.RDMA_CM}) {
            assertThatThrownBy(() -> connected(method, path, PathOptions.DEFAULT))
                    .as("%s by %s", path, method)
                    .isInstanceOfSatisfying(
                            RdmaConnectException.class,
                            e -> assertThat(e.reason()).isIn(Reason.DEVICE, Reason.ADDR_ERROR))
                    .hasMessageContainingAll(parts);
        }
    }

    @Test
    void whatIsNotThereIsRefusedByName() throws Exception {
        refused(PathOptions.DEFAULT.withPort(9), "port 9", device());
        refused(PathOptions.DEFAULT.withPartitionKey(0x1234), "partitionKey 0x1234", "0xffff");
        refused(PathOptions.DEFAULT.withPartitionIndex(60_000), "partitionIndex 60000");
        refused(PathOptions.DEFAULT.withGidType(GidType.IB), "gidType IB", host());
        refused(PathOptions.DEFAULT.withServiceLevel(8), "serviceLevel 8");
    }

    @Test
    void anAddressThatIsNoGidIsRefused() throws Exception {
        PathOptions stranger = PathOptions.DEFAULT.withGidAddress(stranger());
        assertThatThrownBy(() -> connected(ConnectMethod.TCP, stranger, PathOptions.DEFAULT))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContainingAll("gidAddress 203.0.113.9", host());
    }

    @Test
    void aServerTellsItsClientWhatItCannotHave() {
        assertThatThrownBy(() ->
                        connected(ConnectMethod.TCP, PathOptions.DEFAULT, PathOptions.DEFAULT.withPartitionKey(0x1234)))
                .isInstanceOfSatisfying(
                        RdmaConnectException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REJECTED));
    }

    @Test
    void datagramsGoByThePath() {
        ConnectionOptions options = options(ConnectMethod.AUTOMATIC, PathOptions.DEFAULT.withTrafficClass(CLASS));
        DatagramBinding bound =
                opened.later(DatagramBinding.bind(resources, options, new InetSocketAddress(host(), 0)));
        GlobalRoute route = bound.resolve(bound.address())
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join()
                .path()
                .route();
        assertThat(route).isNotNull();
        assertThat(route.trafficClass()).isEqualTo(CLASS);
        ConnectionOptions impossible = options.withPath(PathOptions.DEFAULT.withPort(9));
        assertThatThrownBy(() -> DatagramBinding.bind(resources, impossible, new InetSocketAddress(host(), 0)))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining("port 9");
        impossible(options.withPath(PathOptions.DEFAULT.withServiceLevel(8)), "serviceLevel 8");
        impossible(options.withPath(PathOptions.DEFAULT.withGidAddress(stranger())), "gidAddress 203.0.113.9");
    }

    private void impossible(ConnectionOptions options, String message) {
        assertThatThrownBy(() -> DatagramBinding.bind(resources, options, new InetSocketAddress(host(), 0)))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining(message);
    }

    private static InetAddress stranger() {
        return new InetSocketAddress("203.0.113.9", 0).getAddress();
    }
}
