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
 * RSocket's own tests of a transport that have the most frames, the slow one included, with sampled leak detection.
 * They take minutes, so they are part of the stress run.
 */
@Tag("stress")
@Tag("alone")
class SoftManyFramesTest {
    static {
        // A class that is loaded later reads the property once, so this class has a process of its own.
        System.setProperty("io.rdma.leakDetection", "sampled");
    }

    /** Tests of a transport that JUnit does not discover: it would run all of the interface. */
    private static final class UndiscoveredTests implements TransportTest {
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
    static void detectLeaksBySamples() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
    }

    @AfterAll
    static void nothingWasDroppedOpen() {
        System.gc();
        assertThat(LeakDetector.reported()).isZero();
    }

    private static void run(Consumer<TransportTest> test) {
        UndiscoveredTests tests = new UndiscoveredTests();
        try {
            test.accept(tests);
        } finally {
            tests.close();
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
