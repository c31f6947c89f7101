package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.EndpointOptions;
import io.rdma.internal.engine.Operation;
import io.rdma.internal.engine.SharedReceives;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.NewestFirst;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Server whose connections share receive buffers, the same on every device: the buffers follow the messages under way,
 * and no connection takes more than its share. The clients have {@code rnrRetry} 0, so a message that finds no receive
 * ends its connection.
 */
abstract class FairSharesContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int COUNT = 512;
    private static final int FIRST = COUNT / 4;
    private static final int MOST = COUNT - 16; // so many may be on their way back
    private static final int SIZE = 256; // too small for several messages
    private static final int WINDOW = COUNT / 2;

    private final NewestFirst opened = new NewestFirst();
    private final BlockingQueue<Endpoint> accepted = new LinkedBlockingQueue<>();
    private final List<Endpoint> served = new ArrayList<>();
    private final List<Endpoint> sending = new ArrayList<>(); // the other ends of those
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private DeviceResources servers;
    private DeviceResources clients;
    private RdmaListener listener;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void open() {
        TestDevice.assumed(device());
        TestDevice.assumeMethod(device(), ConnectMethod.TCP);
        clients = opened.later(new DeviceResources(TestDevice.assumed(device())));
        servers = opened.later(new DeviceResources(
                TestDevice.assumed(device()), ResourceOptions.DEFAULT.withSharedReceiveBuffers(COUNT, SIZE)));
        assumeFalse(servers.context().isIwarp(), "iWARP promises each window when a connection begins");
        listen(WINDOW);
    }

    private void listen(int window) {
        listener = opened.later(RdmaListener.bind(
                servers,
                options().withReceiveBuffers(window, SIZE),
                AdmissionLimits.DEFAULT,
                new InetSocketAddress("127.0.0.1", 0),
                connection -> accepted.add(connection.endpoint())));
    }

    @AfterEach
    void everyBufferHasComeBack() throws Exception {
        if (listener == null) {
            return;
        }
        sending.forEach(Endpoint::close);
        served.forEach(Endpoint::close);
        for (Endpoint endpoint : served) {
            endpoint.closed().join();
            endpoint.receives().discard();
        }
        sending.forEach(endpoint -> endpoint.closed().join());
        assertThat(shared().outstanding()).as("acquired and not given back").isZero();
        assertThat(shared().promised())
                .as("promised to connections that have ended")
                .isZero();
        opened.close();
    }

    private static ConnectionOptions options() {
        return ConnectionOptions.DEFAULT
                .withReceiveBuffers(WINDOW, SIZE)
                .withSendBuffers(4, SIZE)
                .withRnrRetry(0)
                .withConnectMethod(ConnectMethod.TCP);
    }

    private SharedReceives shared() {
        return servers.sharedReceives(servers.loops().getFirst());
    }

    /** Connects one more client. Returns its end at the server. */
    private Endpoint connect() throws Exception {
        ConnectOutcome connected = ConnectOutcome.of(clients, options(), listener.address());
        sending.add(connected.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).endpoint());
        Endpoint server = accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(server).isNotNull();
        served.add(server);
        return server;
    }

    private void flood(Endpoint server, int messages) {
        Endpoint by = sending.get(served.indexOf(server));
        RegisteredBuffer buffer = RegisteredBuffer.of(by.memory().allocate(4, Set.of(AccessFlag.LOCAL_WRITE)), 0, 4);
        for (int i = 0; i < messages; i++) {
            by.submit(new Operation(WorkRequest.send(buffer, false)) {
                @Override
                protected void completed(long value) {}

                @Override
                protected void failed(RuntimeException error) {
                    if (!by.isClosing() || by.failure() != null) {
                        failure.compareAndSet(null, error);
                    }
                }
            });
        }
        buffer.close();
    }

    private static boolean take(Endpoint server) {
        ReceivedMessage message = server.receives().poll();
        if (message == null) {
            return false;
        }
        message.close();
        return true;
    }

    private static void awaitTaken(Endpoint server) {
        await().pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(PATIENCE)
                .until(() -> take(server));
    }

    /** Waits until every peer has used its window, but for receives that are too few to be announced. */
    private void awaitStalled() {
        await().atMost(PATIENCE).until(() -> {
            assertThat(shared().promised()).isLessThanOrEqualTo(shared().made() - 16);
            assertThat(failure).hasValue(null);
            return served.stream()
                    .map(Endpoint::receives)
                    .allMatch(receives -> receives.outstanding() >= receives.window() - receives.window() / 4 - 1);
        });
        int windows = served.stream()
                .mapToInt(server -> server.receives().window() + EndpointOptions.CONTROL_RECEIVES)
                .sum();
        assertThat(shared().promised()).isEqualTo(windows);
    }

    @Test
    void buffersFollowTheMessagesUnderWayNotTheMessagesSent() throws Exception {
        assertThat(shared().made()).isEqualTo(FIRST);
        Endpoint server = connect();
        for (int i = 0; i < 2 * COUNT; i++) {
            flood(server, 1);
            awaitTaken(server);
        }
        assertThat(shared().made()).as("one at a time needs no more").isEqualTo(FIRST);
        flood(server, 100);
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 100);
        assertThat(shared().made()).isEqualTo(COUNT);
        for (int i = 0; i < 100; i++) {
            assertThat(take(server)).isTrue();
        }
        assertThat(failure).hasValue(null);
    }

    /** Lets connections hold their largest windows. So no window waits for receives, and only the device reports. */
    @Test
    void theDeviceReportsAfterEachRefillThatReceivesRunLow() throws Exception {
        int window = FIRST / 4;
        listen(window);
        for (int made = FIRST; made < COUNT; made *= 2) {
            assertThat(shared().made()).isEqualTo(made);
            Endpoint server = connect();
            flood(server, window);
            await().atMost(PATIENCE).until(() -> server.receives().outstanding() == window);
            int more = 2 * made;
            await().atMost(PATIENCE).until(() -> shared().made() == more);
        }
        assertThat(failure).hasValue(null);
    }

    @Test
    void aFirstWindowIsBackedByReceivesBeforeThePeerMaySend() throws Exception {
        for (int i = 0; i < 16; i++) {
            connect();
            assertThat(shared().promised()).isLessThanOrEqualTo(shared().made() - 16);
        }
        assertThat(shared().made()).isGreaterThan(FIRST);
    }

    /** Lets the applications of eight connections take nothing. Their peers use all that they were granted. */
    @Test
    void stalledConnectionsLeaveReceivesToTheOthers() throws Exception {
        for (int i = 0; i < 8; i++) {
            flood(connect(), 2 * COUNT);
        }
        awaitStalled();
        Endpoint modest = connect();
        for (int i = 0; i < COUNT; i++) {
            flood(modest, 1);
            awaitTaken(modest);
        }
        assertThat(failure).hasValue(null);
        assertThat(served).noneMatch(Endpoint::isClosing);
    }

    @Test
    void aBusyConnectionBorrowsWhatNobodyNeedsAndGivesItBack() throws Exception {
        Endpoint hog = connect();
        flood(hog, 4 * COUNT);
        awaitStalled();
        await().atMost(PATIENCE).until(() -> hog.receives().window() > MOST / 4);
        assertThat(hog.receives().window()).isLessThanOrEqualTo(MOST / 2);
        for (int i = 0; i < 7; i++) {
            flood(connect(), 4 * COUNT);
        }
        awaitStalled();
        for (int i = 0; i < COUNT; i++) { // serves all alike
            served.forEach(FairSharesContract::awaitTaken);
        }
        awaitStalled();
        int equal = (MOST * 3 / 4 - 8 * EndpointOptions.CONTROL_RECEIVES) / 9;
        assertThat(served)
                .extracting(server -> server.receives().window())
                .allSatisfy(window -> assertThat(window).isBetween(equal * 2 / 3, equal * 3 / 2));
        assertThat(failure).hasValue(null);
    }
}
