package io.rdma.netty.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.rdma.buffer.LeakDetector;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;

/**
 * Watch for buffers that are dropped without a release: Netty's leak detector at its highest level, and that of
 * registered memory, which knows the buffers in which messages arrive.
 */
final class LeakWatch {
    private static final String ON_PURPOSE = "leaked on purpose";

    private final List<String> leaks = new CopyOnWriteArrayList<>();
    private final ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
    private final long reported = LeakDetector.reported();

    /** Begins to watch. */
    LeakWatch() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        ByteBufUtil.setLeakListener((type, records) -> leaks.add(records));
    }

    /** Ends the watch. Drops one more buffer, and checks that the detector has found that one and no other. */
    void assertSilent() {
        leak();
        Awaitility.await("the detector is at work")
                .pollDelay(Duration.ZERO)
                .atMost(Duration.ofSeconds(60))
                .until(() -> {
                    System.gc();
                    UnpooledByteBufAllocator.DEFAULT.directBuffer().release(); // reports what the collector has found
                    return leaks.stream().anyMatch(leak -> leak.contains(ON_PURPOSE));
                });
        ResourceLeakDetector.setLevel(before);
        ByteBufUtil.setLeakListener(null);
        assertThat(leaks.stream().filter(leak -> !leak.contains(ON_PURPOSE))).isEmpty();
        assertThat(LeakDetector.reported()).isEqualTo(reported);
    }

    private static void leak() {
        // Each has a name of its own, because Netty reports equal records once.
        UnpooledByteBufAllocator.DEFAULT.directBuffer().touch(ON_PURPOSE + System.nanoTime());
    }
}
