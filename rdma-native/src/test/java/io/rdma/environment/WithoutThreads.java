package io.rdma.environment;

import java.util.random.RandomGenerator;

/** Environment of this JVM, whose timers are due at once and whose threads have no memory. */
public final class WithoutThreads implements Environment {
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
