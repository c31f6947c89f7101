package io.rdma.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.environment.Environment;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockingTasksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int MOST = 2;

    private final List<Runnable> started = new ArrayList<>();
    private final List<Runnable> continued = new ArrayList<>();
    private final List<String> happened = new ArrayList<>();
    private final BlockingTasks tasks = new BlockingTasks(environment(), MOST);
    private Runnable beforeStart = () -> {};

    /** Returns an environment that keeps the threads that it is to start. */
    private Environment environment() {
        return (Environment) Proxy.newProxyInstance(
                Environment.class.getClassLoader(), new Class<?>[] {Environment.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("startOrRun")) {
                        continued.add((Runnable) arguments[1]);
                    } else if (method.getName().equals("start")) {
                        beforeStart.run();
                        started.add((Runnable) arguments[1]);
                    } else {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    return null;
                });
    }

    private static void refuse() {
        throw new OutOfMemoryError("a test's");
    }

    /** Executes a task that notes what happens to it. */
    private void execute(String name) {
        tasks.execute("rdma-test", new BlockingTasks.Task() {
            @Override
            public void run() {
                happened.add(name + " runs");
            }

            @Override
            public void goOn() {
                happened.add(name + " goes on");
            }

            @Override
            public void refused(Throwable reason) {
                assertThat(reason).isInstanceOf(OutOfMemoryError.class);
                happened.add(name + " is refused");
            }
        });
    }

    @Test
    void aThousandTasksRunOnFewThreads() throws InterruptedException {
        BlockingTasks system = new BlockingTasks(Environment.SYSTEM, MOST);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(1000);
        CountDownLatch first = new CountDownLatch(MOST);
        for (int i = 0; i < 1000; i++) {
            system.execute("rdma-test", new RunOnly(() -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                first.countDown();
                try {
                    first.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                running.decrementAndGet();
                all.countDown();
            }));
        }
        all.await();
        assertThat(most).hasValue(MOST);
    }

    @Test
    void tasksBeginInOrderAndOneThatThrowsEndsAlone() {
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            tasks.execute("rdma-test", new RunOnly(() -> {
                ran.add(number);
                if (number == 1) {
                    throw new IllegalStateException("a test's");
                }
            }));
        }
        assertThat(started).hasSize(MOST);
        started.forEach(Runnable::run);
        assertThat(ran).containsExactly(0, 1, 2, 3, 4);
        assertThat(continued).as("also the one that threw").hasSize(5);
        tasks.execute("rdma-test", new RunOnly(() -> ran.add(5)));
        assertThat(started).as("the places are free").hasSize(MOST + 1);
    }

    /** Failure of which no log can say more than that there is one. */
    private static final class Unprintable extends Error {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            throw new OutOfMemoryError("a test's");
        }

        @Override
        public void printStackTrace(PrintStream to) {
            refuse();
        }

        @Override
        public void printStackTrace(PrintWriter to) {
            refuse();
        }
    }

    @Test
    void aFailureThatCannotBeLoggedEndsItsTaskAlone() {
        tasks.execute("rdma-test", new RunOnly(() -> {
            throw new Unprintable();
        }));
        execute("A");
        started.forEach(Runnable::run);
        assertThat(happened).containsExactly("A runs");
        assertThat(continued).hasSize(2);
    }

    @Test
    void aTaskGoesOnOnAThreadOfItsOwn() {
        execute("A");
        execute("B");
        started.getFirst().run();
        assertThat(happened).containsExactly("A runs", "B runs");
        continued.forEach(Runnable::run);
        assertThat(happened).endsWith("A goes on", "B goes on");
    }

    @Test
    void theNextTaskRunsWhileOneGoesOn() {
        BlockingTasks one = new BlockingTasks(Environment.SYSTEM, 1);
        CompletableFuture<Void> next = new CompletableFuture<>();
        CompletableFuture<Void> waited = new CompletableFuture<>();
        one.execute("rdma-test", new BlockingTasks.Task() {
            @Override
            public void run() {}

            @Override
            public void goOn() {
                one.execute("rdma-test", new RunOnly(() -> next.complete(null)));
                next.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .thenRun(() -> waited.complete(null))
                        .join();
            }

            @Override
            public void refused(Throwable reason) {}
        });
        assertThat(waited).succeedsWithin(PATIENCE);
    }

    @Test
    void aTaskIsRefusedOnlyIfNoThreadRunsIt() {
        beforeStart = BlockingTasksTest::refuse;
        execute("A");
        assertThat(happened).containsExactly("A is refused");
        beforeStart = () -> {};
        execute("B");
        beforeStart = BlockingTasksTest::refuse;
        execute("C"); // the thread that was started takes it
        started.forEach(Runnable::run);
        assertThat(happened).containsExactly("A is refused", "B runs", "C runs");
    }

    /** A and B count themselves, C finds no place, and then neither A nor B can start a thread. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLastCallerWithoutAThreadAnswersForTheOthers(boolean memoryIsBack) {
        beforeStart = () -> {
            beforeStart = () -> {
                execute("C");
                refuse();
            };
            execute("B");
            beforeStart = memoryIsBack ? () -> {} : BlockingTasksTest::refuse;
            refuse();
        };
        execute("A");
        started.forEach(Runnable::run);
        String end = memoryIsBack ? " runs" : " is refused";
        assertThat(happened).containsExactly("A" + end, "B" + end, "C" + end);
    }

    @Test
    void noTaskIsLeftBetweenTwoThreads() {
        BlockingTasks system = new BlockingTasks(Environment.SYSTEM, MOST);
        AtomicInteger ran = new AtomicInteger();
        for (int i = 1; i <= 2_000; i++) { // each is added while the thread of the one before ends
            int expected = i;
            system.execute("rdma-test", new RunOnly(ran::incrementAndGet));
            await().pollInSameThread()
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofNanos(1_000))
                    .atMost(PATIENCE)
                    .until(() -> ran.get() == expected);
        }
    }
}
