package io.rdma.samples.simulation.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma.samples.simulation.agent.Agent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Simulated threads wait and lock as real ones, but in virtual time and in an order that the seed determines. */
class SimulationTest {
    @BeforeAll
    static void simulates() {
        assumeTrue(Agent.loaded(), "needs JDK 25");
    }

    private final Simulation simulation = new Simulation(1, Simulation.Pauses.NONE, Trace.Detail.NONE);

    private interface Body {
        void run() throws Exception;
    }

    private void start(Body body) {
        simulation.threads().start(() -> {
            try {
                body.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private void finish() {
        assertThat(simulation.run(Duration.ofDays(100))).isTrue();
        assertThat(simulation.uncaught()).isNull();
        assertThat(simulation.scheduler().alive()).isEmpty();
    }

    private static long days(long nanos) {
        return TimeUnit.NANOSECONDS.toDays(nanos);
    }

    /** The JDK's Cleaner, for one, has a monitor that every thread needs for direct memory. */
    @Test
    void aMonitorThatAThreadOutsideHasIsWaitedForWithoutAnotherStep() throws InterruptedException {
        Hashtable<Integer, Integer> table = new Hashtable<>();
        CountDownLatch inside = new CountDownLatch(1);
        Thread outside = Thread.ofPlatform()
                .start(() -> table.computeIfAbsent(1, key -> {
                    inside.countDown();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                    return key;
                }));
        inside.await();
        List<Integer> found = new ArrayList<>();
        start(() -> found.add(table.get(1)));
        finish();
        assertThat(found).containsExactly(1);
        assertThat(simulation.scheduler().steps()).isOne();
        outside.join();
    }

    @Test
    void everyTimedWaitOfTheJdkEndsInVirtualTime() {
        List<String> ended = new ArrayList<>();
        long begin = simulation.scheduler().now();
        start(() -> {
            LockSupport.parkNanos(TimeUnit.DAYS.toNanos(1)); // before the sleep, which leaves a permit
            Thread.sleep(Duration.ofDays(1));
            ReentrantLock lock = new ReentrantLock();
            Condition condition = lock.newCondition();
            lock.lock();
            assertThat(condition.awaitNanos(TimeUnit.DAYS.toNanos(1))).isNotPositive();
            lock.unlock();
            assertThat(new LinkedBlockingQueue<String>().poll(1, TimeUnit.DAYS)).isNull();
            try {
                new CompletableFuture<String>().get(1, TimeUnit.DAYS);
            } catch (TimeoutException e) {
                ended.add("future");
            }
            Thread child = Thread.ofVirtual().start(() -> LockSupport.parkNanos(TimeUnit.DAYS.toNanos(1)));
            child.join();
            ended.add("all");
        });
        finish();
        assertThat(ended).containsExactly("future", "all");
        assertThat(days(simulation.scheduler().now() - begin)).isEqualTo(6);
    }

    @Test
    void threadsThatSpinLetTimePass() {
        long[] took = new long[1];
        start(() -> {
            long begin = simulation.scheduler().now();
            while (simulation.scheduler().now() - begin < 1_000_000) {
                simulation.scheduler().pause();
            }
            took[0] = simulation.scheduler().now() - begin;
        });
        finish();
        assertThat(took[0]).isGreaterThanOrEqualTo(1_000_000);
    }

    @Test
    void aMonitorExcludesAndItsWaitersAreSignalled() {
        Monitors monitors = new Monitors(simulation.scheduler());
        Object lock = new Object();
        int[] inside = new int[1];
        int[] most = new int[1];
        List<Integer> woken = new ArrayList<>();
        boolean[] told = new boolean[1];
        for (int i = 0; i < 5; i++) {
            int me = i;
            start(() -> {
                monitors.enter(lock);
                monitors.enter(lock);
                most[0] = Math.max(most[0], ++inside[0]);
                simulation.scheduler().pause();
                inside[0]--;
                while (!told[0]) {
                    monitors.await(lock, 0);
                }
                woken.add(me);
                monitors.exit(lock);
                monitors.exit(lock);
            });
        }
        start(() -> {
            Thread.sleep(1000);
            monitors.enter(lock);
            told[0] = true;
            monitors.signal(lock, true);
            monitors.exit(lock);
        });
        finish();
        assertThat(most[0]).isEqualTo(1);
        assertThat(woken).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
    }

    @Test
    void aBoundedWaitInAMonitorEnds() {
        Monitors monitors = new Monitors(simulation.scheduler());
        Object lock = new Object();
        start(() -> {
            monitors.enter(lock);
            monitors.await(lock, 5_000);
            monitors.exit(lock);
        });
        long begin = simulation.scheduler().now();
        finish();
        assertThat(simulation.scheduler().now() - begin).isBetween(5_000_000_000L, 5_001_000_000L);
    }

    @Test
    void theSeedDeterminesTheOrder() {
        Set<List<Integer>> orders = new HashSet<>();
        for (long seed = 0; seed < 50; seed++) {
            List<Integer> order = order(seed);
            assertThat(order(seed)).isEqualTo(order);
            orders.add(order);
        }
        assertThat(orders).hasSizeGreaterThan(40);
    }

    private static List<Integer> order(long seed) {
        Simulation one = new Simulation(seed, Simulation.Pauses.NONE, Trace.Detail.NONE);
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int me = i;
            one.threads().start(() -> {
                for (int round = 0; round < 3; round++) {
                    order.add(me);
                    Thread.yield();
                }
            });
        }
        assertThat(one.run(Duration.ofSeconds(1))).isTrue();
        return order;
    }

    @Test
    void theThreadsOfAKilledOwnerStopWhereTheyAre() {
        Owner killed = new Owner("killed");
        List<String> said = new ArrayList<>();
        simulation
                .scheduler()
                .as(
                        killed,
                        () -> start(() -> {
                            Thread.ofVirtual().start(() -> {
                                said.add("child");
                                LockSupport.parkNanos(2_000_000);
                                said.add("never");
                            });
                            said.add("parent");
                            Thread.sleep(1000);
                            said.add("never");
                        }));
        start(() -> {
            Thread.sleep(1);
            killed.kill();
            Thread.sleep(10_000);
            said.add("killer");
        });
        finish();
        assertThat(said).containsExactlyInAnyOrder("parent", "child", "killer");
    }

    @Test
    void aThreadThatWaitsForEverIsFound() {
        start(() -> new CompletableFuture<String>().get());
        assertThat(simulation.run(Duration.ofDays(1))).isTrue();
        assertThat(simulation.scheduler().alive()).hasSize(1);
        assertThat(simulation.scheduler().alive().getFirst().where()).contains("CompletableFuture");
    }

    @Test
    void aThreadThatSpinsForEverIsFound() {
        simulation.threads().name("spinning").start(() -> {
            while (true) {
                Thread.yield();
            }
        });
        assertThat(simulation.run(Duration.ofDays(1), 10_000)).isFalse();
        assertThat(simulation.scheduler().steps()).isEqualTo(10_000);
        assertThat(simulation.scheduler().busiest()).contains("8,192 are of simulation 0 spinning");
    }
}
