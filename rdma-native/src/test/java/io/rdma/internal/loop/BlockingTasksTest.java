package io.rdma.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.environment.Environment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BlockingTasksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<Runnable> started = new ArrayList<>();
    private boolean refuse;

    /** Returns an environment that keeps the threads that it is to start. */
    private Environment environment() {
        return (Environment) Proxy.newProxyInstance(
                Environment.class.getClassLoader(), new Class<?>[] {Environment.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("start")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    if (refuse) {
                        throw new OutOfMemoryError("a test's");
                    }
                    return started.add((Runnable) arguments[1]) ? null : null;
                });
    }

    @Test
    void aThousandTasksRunOnFewThreads() throws InterruptedException {
        BlockingTasks tasks = new BlockingTasks(Environment.SYSTEM);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(1000);
        CountDownLatch first = new CountDownLatch(BlockingTasks.MOST);
        for (int i = 0; i < 1000; i++) {
            tasks.execute("rdma-test", () -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                first.countDown();
                try {
                    first.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                running.decrementAndGet();
                all.countDown();
            });
        }
        all.await();
        assertThat(most).hasValue(BlockingTasks.MOST);
    }

    @Test
    void tasksBeginInOrderAndOneThatThrowsEndsAlone() {
        BlockingTasks tasks = new BlockingTasks(environment());
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            tasks.execute("rdma-test", () -> {
                ran.add(number);
                if (number == 1) {
                    throw new IllegalStateException("a test's");
                }
            });
        }
        assertThat(started).hasSize(BlockingTasks.MOST);
        started.forEach(Runnable::run);
        assertThat(ran).containsExactly(0, 1, 2, 3, 4);
        tasks.execute("rdma-test", () -> ran.add(5));
        assertThat(started).as("the places are free").hasSize(BlockingTasks.MOST + 1);
    }

    @Test
    void aTaskIsRefusedOnlyIfNoThreadRunsIt() {
        BlockingTasks tasks = new BlockingTasks(environment());
        AtomicInteger ran = new AtomicInteger();
        refuse = true;
        assertThatThrownBy(() -> tasks.execute("rdma-test", ran::incrementAndGet))
                .isInstanceOf(OutOfMemoryError.class);
        refuse = false;
        tasks.execute("rdma-test", ran::incrementAndGet);
        refuse = true;
        tasks.execute("rdma-test", ran::incrementAndGet); // the thread that was started takes it
        started.forEach(Runnable::run);
        assertThat(ran).hasValue(2);
    }

    @Test
    void noTaskIsLeftBetweenTwoThreads() {
        BlockingTasks tasks = new BlockingTasks(Environment.SYSTEM);
        AtomicInteger ran = new AtomicInteger();
        for (int i = 1; i <= 2_000; i++) { // each is added while the thread of the one before ends
            int expected = i;
            tasks.execute("rdma-test", ran::incrementAndGet);
            await().pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofNanos(1_000))
                    .atMost(PATIENCE)
                    .until(() -> ran.get() == expected);
        }
    }
}
