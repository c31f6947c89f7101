package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.FlowControlException;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.SharedReceives;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.NewestFirst;
import io.rdma.testing.NextMessage;
import io.rdma.testing.TestDevice;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Server whose connections share receive buffers, and clients that send more than they may, the same on every device.
 */
abstract class SharedWindowContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SHARED = 32;
    private static final int SIZE = 256;
    private static final int WINDOW = 8;

    private final NewestFirst opened = new NewestFirst();
    private final BlockingQueue<Endpoint> served = new LinkedBlockingQueue<>();
    private final List<Endpoint> all = new ArrayList<>(); // of the server
    private DeviceResources servers;
    private DeviceResources clients;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void open() {
        TestDevice.assumed(device());
        TestDevice.assumeMethod(device(), ConnectMethod.TCP);
        clients = opened.later(new DeviceResources(TestDevice.assumed(device())));
        servers = opened.later(new DeviceResources(
                TestDevice.assumed(device()), ResourceOptions.DEFAULT.withSharedReceiveBuffers(SHARED, SIZE)));
    }

    @AfterEach
    void everySlotHasComeBack() throws Exception {
        if (servers == null) {
            return;
        }
        for (Endpoint endpoint : all) {
            endpoint.close();
            endpoint.closed().join();
            endpoint.receives().discard();
        }
        await().atMost(PATIENCE).until(() -> shared().outstanding() == 0);
        opened.close();
    }

    private SharedReceives shared() {
        return servers.sharedReceives(servers.loops().getFirst());
    }

    private static ConnectionOptions options(FlowControl flowControl) {
        return ConnectionOptions.DEFAULT
                .withReceiveBuffers(WINDOW, SIZE)
                .withSendBuffers(4, SIZE)
                .withConnectMethod(ConnectMethod.TCP)
                .withFlowControl(flowControl);
    }

    private RdmaListener listen(FlowControl flowControl) {
        return opened.later(RdmaListener.bind(
                servers,
                options(flowControl),
                AdmissionLimits.DEFAULT,
                new InetSocketAddress("127.0.0.1", 0),
                connection -> served.add(connection.endpoint())));
    }

    private Endpoint connect(RdmaListener listener, FlowControl flowControl) throws Exception {
        ConnectOutcome connected = ConnectOutcome.of(clients, options(flowControl), listener.address());
        return connected.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).endpoint();
    }

    private Endpoint server() throws InterruptedException {
        Endpoint one = served.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(one).isNotNull();
        all.add(one);
        return one;
    }

    private static void flood(Endpoint by, int messages) {
        Flood.send(by, messages, error -> {});
    }

    private static void assertReachable(Endpoint from, Endpoint to) {
        for (int i = 0; i < 3 * SHARED; i++) {
            flood(from, 1);
            NextMessage.at(to).close();
        }
    }

    private static void assertEnded(Endpoint hostile) {
        assertThat(hostile.closed()).succeedsWithin(PATIENCE);
        @Nullable Throwable failure = hostile.failure();
        assertThat(failure).isInstanceOf(FlowControlException.class).hasMessageContaining("shares with other");
    }

    /** Connects a client that agrees to count credits, but assumes more of them than the server granted. */
    private Endpoint overstatingClient(RdmaListener listener, Socket socket) throws IOException {
        socket.connect(listener.address());
        ConnectionOptions options = options(FlowControl.CREDITS);
        Exchange exchange = opened.later(TestExchange.over(socket, options, true));
        try (QueuePairBringUp queuePair =
                new QueuePairBringUp(clients, options, exchange.localAddress().getAddress(), null)) {
            exchange.sendHello(queuePair.local());
            PeerParameters granted = exchange.receiveAnswer();
            PeerParameters overstated = new PeerParameters(
                    granted.qpNumber(),
                    granted.psn(),
                    granted.gid(),
                    granted.lid(),
                    granted.mtu(),
                    granted.initiatorDepth(),
                    granted.responderResources(),
                    true,
                    1 << 16,
                    granted.receiveBufferSize(),
                    granted.maxMessageSize(),
                    new Offer(2, 2, granted.offer().capabilities() & ~Offer.SHARED_RECEIVES));
            Endpoint endpoint =
                    queuePair.connect(overstated, exchange.remoteAddress().getAddress());
            exchange.sendReady();
            return endpoint;
        }
    }

    @Test
    void aClientThatExceedsItsCreditsIsEndedAndTheOthersGoOn() throws Exception {
        RdmaListener listener = listen(FlowControl.CREDITS);
        Endpoint good = connect(listener, FlowControl.CREDITS);
        Endpoint goodServer = server();
        try (Socket socket = new Socket()) {
            Endpoint hostile = overstatingClient(listener, socket);
            Endpoint hostileServer = server();
            flood(hostile, 100); // the server's application takes none of them
            assertEnded(hostileServer);
            assertThat(hostileServer.receives().outstanding()).isLessThanOrEqualTo(WINDOW);
            hostile.close();
            hostile.closed().join();
        }
        assertReachable(good, goodServer);
        assertThat(goodServer.isClosing()).isFalse();
    }

    @Test
    void aPlainClientIsRefusedWhereReceivesAreShared() throws Exception {
        RdmaListener listener = listen(FlowControl.CREDITS);
        assertThatThrownBy(() -> connect(listener, FlowControl.PLAIN))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        RdmaConnectException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REJECTED))
                .hasMessageContaining("does not count credits");
        assertReachable(connect(listener, FlowControl.CREDITS), server());
    }

    /**
     * Floods a server whose application allows plain messages and takes none. The connection holds its window, and is
     * ended when the client exceeds it.
     */
    @Test
    void aStalledPlainClientTakesNoMoreThanItsWindow() throws Exception {
        RdmaListener listener = listen(FlowControl.PLAIN);
        Endpoint good = connect(listener, FlowControl.PLAIN);
        Endpoint goodServer = server();
        Endpoint stalled = connect(listener, FlowControl.PLAIN);
        Endpoint stalledServer = server();
        flood(stalled, 100);
        assertEnded(stalledServer);
        assertThat(stalledServer.receives().outstanding()).isLessThanOrEqualTo(WINDOW);
        assertReachable(good, goodServer);
        assertThat(goodServer.isClosing()).isFalse();
    }

    @Test
    void aServerThatRequiresCreditsRefusesPlainPeersAlsoWithoutSharing() {
        RdmaListener listener = opened.later(RdmaListener.bind(
                clients,
                options(FlowControl.CREDITS_REQUIRED),
                AdmissionLimits.DEFAULT,
                new InetSocketAddress("127.0.0.1", 0),
                connection -> served.add(connection.endpoint())));
        assertThatThrownBy(() -> connect(listener, FlowControl.PLAIN))
                .cause()
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining("does not count credits");
    }
}
