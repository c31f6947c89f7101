package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.LeakDetector;
import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.soft.FaultySoft;
import io.rdma.testing.TestDevice;
import io.rdma.verbs.DeviceOf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Soak test of all operations at once, at random, over links that lose, repeat and swap packets. Threads submit
 * messages, writes, reads and atomics on several connections, cancel some, close connections and open others in their
 * place. Every byte is checked on arrival. At the end every operation has ended exactly once and nothing is left.
 *
 * <p>The system property {@code io.rdma.stress.seconds} sets the duration, 60 unless set. {@code io.rdma.stress.seed}
 * determines the random choices, but not the interleaving.
 */
@Tag("stress")
@Timeout(value = 25, unit = TimeUnit.HOURS) // the test ends by itself after its duration
class SoakTest {
    private static final int CONNECTIONS = 4;
    private static final int THREADS = 4;
    private static final Duration DURATION = Duration.ofSeconds(Integer.getInteger("io.rdma.stress.seconds", 60));
    private static final long SEED = Long.getLong("io.rdma.stress.seed", System.nanoTime());
    // Small queues, so that every thread waits for every resource. The peer fetches messages of the upper half of the
    // lengths.
    private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT
            .withQueuePair(ConnectionOptions.DEFAULT.queuePair().withMaxSendWr(8))
            .withReceiveBuffers(8, SoakLink.RECEIVE_BUFFER)
            .withMaxMessageSize(SoakLink.LARGEST)
            .withSendBuffers(4 * THREADS, SoakLink.LARGEST)
            .withSignalEvery(4)
            .withMaxRdAtomic(2)
            .withTimeout(15) // 134 ms, eight times: packets are lost, but no connection, also on a busy host
            .withDrainTimeout(Duration.ofSeconds(20));

    @Test
    void everythingAtOnce() throws InterruptedException {
        System.out.println("io.rdma.stress.seed=" + SEED + " io.rdma.stress.seconds=" + DURATION.toSeconds());
        SplittableRandom random = new SplittableRandom(SEED);
        long leaks = LeakDetector.reported();
        SoakTally tally = new SoakTally();
        DeviceResources clients = resources(random.nextLong());
        DeviceResources servers = resources(random.nextLong());
        try (clients;
                servers) {
            AtomicReferenceArray<SoakLink> links = new AtomicReferenceArray<>(CONNECTIONS);
            for (int i = 0; i < CONNECTIONS; i++) {
                links.set(i, SoakLink.open(clients, servers, OPTIONS, THREADS, tally));
            }
            long deadline = System.nanoTime() + DURATION.toNanos();
            List<Thread> threads = new ArrayList<>();
            for (int worker = 0; worker < THREADS; worker++) {
                int lane = worker;
                SplittableRandom laneRandom = random.split();
                threads.add(Thread.ofPlatform().name("soak-" + worker).start(() -> {
                    try {
                        while (System.nanoTime() - deadline < 0 && tally.isGood()) {
                            int which = laneRandom.nextInt(CONNECTIONS);
                            SoakLink link = links.get(which);
                            if (laneRandom.nextInt(2_000) != 0) {
                                link.step(lane, laneRandom);
                            } else if (link.close(laneRandom.nextBoolean())) {
                                link.verify();
                                links.set(which, SoakLink.open(clients, servers, OPTIONS, THREADS, tally));
                            }
                        }
                    } catch (Throwable t) {
                        tally.wrong("a thread ended", t);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                links.get(i).close(true);
                links.get(i).verify();
            }
            System.out.println(tally);
            tally.verify();
            for (DeviceResources side : List.of(clients, servers)) {
                CompletionLoop loop = side.loops().getFirst();
                assertThat(loop.members()).isEmpty();
                assertThat(loop.freeEntries()).isEqualTo(loop.entries());
                assertThat(loop.counters().listenerErrors()).isZero();
                System.out.println(loop.counters());
            }
        }
        // A region that is left would keep its device open.
        TestDevice.awaitClosed(clients.context());
        TestDevice.awaitClosed(servers.context());
        assertThat(LeakDetector.reported()).as("leaks").isEqualTo(leaks);
    }

    private static DeviceResources resources(long seed) {
        return new DeviceResources(DeviceOf.only(FaultySoft.create(0.01, 0.02, 0.02, seed)));
    }
}
