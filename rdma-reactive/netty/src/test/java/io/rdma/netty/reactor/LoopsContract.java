package io.rdma.netty.reactor;

import io.netty.channel.ChannelOption;
import io.rdma.connect.ConnectionOptions;
import io.rdma.netty.RdmaChannelOption;
import io.rdma.netty.RdmaIoOptions;
import io.rdma.testing.TestDevice;
import io.rdma.verbs.RdmaDevice;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.ConnectionProvider;

/** Event loops over a device, for the tests of one class. At their end no buffer has leaked. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class LoopsContract {
    /** Bound of every wait. */
    static final Duration BOUND = Duration.ofSeconds(60);

    /** Address of servers. */
    static final String HOST = "127.0.0.1";

    private static final ConnectionOptions OPTIONS =
            ConnectionOptions.DEFAULT.withHandshakeTimeout(BOUND).withProbeInterval(Duration.ofSeconds(1));

    private final Deque<Runnable> closing = new ArrayDeque<>();
    private final LeakWatch leaks = new LeakWatch();
    private @Nullable RdmaLoopResources loops;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeAll
    void open() {
        loops = loops("test");
    }

    /** Returns new event loops. */
    RdmaLoopResources loops(String prefix) {
        RdmaDevice device = TestDevice.assumed(device());
        return RdmaLoopResources.create(prefix, 2, true, RdmaIoOptions.DEFAULT.withDevice(device));
    }

    /** Returns the event loops of all tests. */
    RdmaLoopResources loops() {
        RdmaLoopResources present = loops;
        if (present == null) {
            throw new IllegalStateException("there is no device");
        }
        return present;
    }

    @AfterEach
    void closeAll() {
        for (Runnable close; (close = closing.poll()) != null; ) {
            close.run();
        }
    }

    @AfterAll
    void close() {
        if (loops != null) {
            loops.disposeLater(Duration.ZERO, BOUND).block(BOUND);
            leaks.assertSilent();
        }
    }

    /** Has something closed at the end of the test, before what was made earlier. */
    void atEnd(Runnable close) {
        closing.push(close);
    }

    /** Returns a wait for a condition, with the bound. */
    static ConditionFactory await(String what) {
        return Awaitility.await(what).pollDelay(Duration.ZERO).atMost(BOUND);
    }

    /** Returns a server of HTTP to be bound. */
    HttpServer server() {
        return HttpServer.create()
                .runOn(loops())
                .option(RdmaChannelOption.CONNECTION_OPTIONS, OPTIONS)
                .host(HOST)
                .port(0);
    }

    /** Binds a server, until the end of the test. */
    DisposableServer bound(HttpServer server) {
        DisposableServer bound = server.bindNow(BOUND);
        atEnd(() -> bound.disposeNow(BOUND));
        return bound;
    }

    /** Returns a client of a server with so many connections at most, which end with the test. */
    HttpClient client(int port, int connections) {
        ConnectionProvider pool = ConnectionProvider.builder("test")
                .maxConnections(connections)
                .pendingAcquireMaxCount(-1)
                .build();
        atEnd(() -> pool.disposeLater().block(BOUND));
        return HttpClient.create(pool)
                .runOn(loops())
                .option(RdmaChannelOption.CONNECTION_OPTIONS, OPTIONS)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) BOUND.toMillis())
                .responseTimeout(BOUND)
                .host(HOST)
                .port(port);
    }
}
