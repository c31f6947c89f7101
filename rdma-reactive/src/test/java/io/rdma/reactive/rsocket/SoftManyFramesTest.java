package io.rdma.reactive.rsocket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.ResourceLeakDetector;
import io.rdma.buffer.LeakDetector;
import io.rsocket.test.TransportTest;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Hooks;

/**
 * Of RSocket's own tests of a transport those with the most frames, the slow one included; with samples of leak
 * detection. Minutes long: part of the stress run.
 */
@Tag("stress")
@Tag("alone")
class SoftManyFramesTest {
    static {
        // Read once, by a class that is loaded later: this one has a process of its own.
        System.setProperty("io.rdma.leakDetection", "sampled");
    }

    /** Not found by JUnit, which would run all tests of the interface. */
    private static final class One implements TransportTest {
        private final TransportPair<Object, RdmaCloseableServer> pair = TransportPairs.over("soft0");

        @Override
        public Duration getTimeout() {
            return Duration.ofMinutes(10);
        }

        @Override
        public TransportPair<?, ?> getTransportPair() {
            return pair;
        }
    }

    @BeforeAll
    static void sampled() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
    }

    @AfterAll
    static void nothingWasDroppedOpen() {
        System.gc();
        assertThat(LeakDetector.reported()).isZero();
    }

    private static void run(Consumer<TransportTest> test) {
        One one = new One();
        try {
            test.accept(one);
        } finally {
            one.close();
            Hooks.resetOnOperatorDebug();
        }
    }

    @Test
    void requestChannel200_000() {
        run(TransportTest::requestChannel200_000);
    }

    @Test
    void requestChannel256() {
        run(TransportTest::requestChannel256);
    }

    @Test
    void requestChannel2_000_000() {
        run(TransportTest::requestChannel2_000_000);
    }
}
