package io.rdma.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Tasks that are due when no thread can be started. They end connections, grants and exchanges, so they run. */
class StartAfterTest {
    /** Environment of this JVM, whose timers are due at once and whose threads have no memory. */
    private static final class WithoutThreads implements Environment {
        @Override
        public long nanoTime() {
            return SYSTEM.nanoTime();
        }

        @Override
        public long epochNanos() {
            return SYSTEM.epochNanos();
        }

        @Override
        public Thread newThread(String name, Runnable task) {
            throw new OutOfMemoryError("on purpose");
        }

        @Override
        public void start(String name, Runnable task) {
            throw new OutOfMemoryError("on purpose");
        }

        @Override
        public Timer after(long nanos, Runnable task) {
            task.run();
            return () -> {};
        }

        @Override
        public RandomGenerator random() {
            return SYSTEM.random();
        }

        @Override
        public RandomGenerator jitter() {
            return SYSTEM.jitter();
        }

        @Override
        public Network network() {
            return SYSTEM.network();
        }
    }

    @Test
    void aTaskRunsOnTheThreadOfTheTimersIfItGetsNoneOfItsOwn() {
        AtomicInteger runs = new AtomicInteger();
        new WithoutThreads().startAfter(1, "task", runs::incrementAndGet);
        assertThat(runs).hasValue(1);
    }
}
