package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.EndpointOptions;
import io.rdma.internal.engine.ReceiveQueue;
import io.rdma.internal.engine.SharedReceives;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.NewestFirst;
import io.rdma.testing.TestDevice;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Server whose connections share receive buffers, with its clients. These have {@code rnrRetry} 0, so a message that
 * finds no receive ends its connection. Each test ends with no buffer out and nothing promised.
 */
abstract class SharedServerContract {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final int COUNT = 512;
    static final int FIRST = COUNT / 4;
    static final int MOST = COUNT - 16; // so many may be on their way back
    static final int SIZE = 256; // too small for several messages
    static final int WINDOW = COUNT / 2;

    private final NewestFirst opened = new NewestFirst();
    private final BlockingQueue<Endpoint> accepted = new LinkedBlockingQueue<>();
    final List<Endpoint> served = new ArrayList<>();
    private final List<Endpoint> sending = new ArrayList<>(); // the other ends of those
    final AtomicReference<RuntimeException> failure = new AtomicReference<>();
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
        serve(ResourceOptions.DEFAULT.withSharedReceiveBuffers(COUNT, SIZE));
    }

    /** Opens the server, in place of the one before. */
    final void serve(ResourceOptions options) {
        servers = opened.later(new DeviceResources(TestDevice.assumed(device()), options));
        assumeFalse(servers.context().isIwarp(), "iWARP promises each window when a connection begins");
        listen(WINDOW);
    }

    final void listen(int window) {
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

    final SharedReceives shared() {
        return servers.sharedReceives(servers.loops().getFirst());
    }

    /** Connects one more client. Returns its end at the server. */
    final Endpoint connect() throws Exception {
        ConnectOutcome connected = ConnectOutcome.of(clients, options(), listener.address());
        sending.add(connected.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).endpoint());
        Endpoint server = accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(server).isNotNull();
        served.add(server);
        return server;
    }

    final void flood(Endpoint server, int messages) {
        Endpoint by = sending.get(served.indexOf(server));
        Flood.send(by, messages, error -> {
            if (!by.isClosing() || by.failure() != null) {
                failure.compareAndSet(null, error);
            }
        });
    }

    private static boolean isStalled(ReceiveQueue receives) {
        return receives.outstanding() >= receives.window() - receives.window() / 4 - 1;
    }

    /** Waits until every peer has used its window, but for receives that are too few to be announced. */
    final void awaitStalled() {
        await().atMost(PATIENCE).until(() -> {
            assertThat(shared().promised()).isLessThanOrEqualTo(shared().made() - 16);
            assertThat(failure).hasValue(null);
            return served.stream().map(Endpoint::receives).allMatch(SharedServerContract::isStalled);
        });
        int windows = served.stream()
                .mapToInt(server -> server.receives().window() + EndpointOptions.CONTROL_RECEIVES)
                .sum();
        assertThat(shared().promised()).isEqualTo(windows);
    }
}
