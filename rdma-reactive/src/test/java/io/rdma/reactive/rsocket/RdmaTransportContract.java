package io.rdma.reactive.rsocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.util.ResourceLeakDetector;
import io.rdma.buffer.LeakDetector;
import io.rdma.testing.TestDevice;
import io.rsocket.test.TransportTest;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import reactor.core.scheduler.Schedulers;

/**
 * RSocket's own tests of a transport, with the leak detection of Netty and of this library at its strictest. The three
 * tests with the most frames are in {@link SoftManyFramesTest}.
 */
@Tag("alone")
abstract class RdmaTransportContract implements TransportTest {
    static {
        // Every buffer is watched, but without a stack trace per use. A class that is loaded later reads this once.
        System.setProperty("io.netty.leakDetection.targetRecords", "0");
    }

    private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

    private TransportPair<Object, RdmaCloseableServer> pair;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns a requester and a responder over the device. */
    TransportPair<Object, RdmaCloseableServer> connected() {
        return TransportPairs.over(device());
    }

    @BeforeAll
    static void detectEveryLeak() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ByteBufUtil.setLeakListener((type, records) -> LEAKS.add(type + " " + records));
    }

    @BeforeEach
    void connect() {
        TestDevice.assumed(device());
        pair = connected();
    }

    @AfterAll
    static void nothingWasDroppedOpen() {
        Schedulers.resetFactory(); // the tests shut them down, which would affect other classes of this process
        System.gc();
        assertThat(LeakDetector.reported()).as("messages that nobody released").isZero();
        assertThat(LEAKS).as("buffers that nobody released").isEmpty();
    }

    @Override
    public Duration getTimeout() {
        return Duration.ofMinutes(5);
    }

    @Override
    public TransportPair<?, ?> getTransportPair() {
        return pair;
    }

    /** Does nothing: a stack trace for each of so many buffers would take longer than all other tests. */
    @Override
    public final void requestChannel200_000() {}

    /** Does nothing, as {@link #requestChannel200_000}. */
    @Override
    public final void requestChannel256() {}

    /** Does nothing, as {@link #requestChannel200_000}. */
    @Override
    public final void requestChannel2_000_000() {}
}
