package io.rdma.environment;

import io.rdma.internal.os.ThreadPlace;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Environment of this JVM. Tasks that may block run on virtual threads. Threads do not inherit the processors of a loop
 * that starts them.
 */
final class SystemEnvironment implements Environment {
    private static final long NANOS = 1_000_000_000;

    private final Network network = new SystemNetwork();

    /** Made at the first use, because looking for the provider takes milliseconds. */
    private static final class Random {
        static final SecureRandom SECURE = new SecureRandom();
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long epochNanos() {
        Instant now = Instant.now();
        return now.getEpochSecond() * NANOS + now.getNano();
    }

    @Override
    public Thread newThread(String name, Runnable task) {
        return Thread.ofPlatform().daemon().name(name).unstarted(ThreadPlace.elsewhere(task));
    }

    @Override
    public void start(String name, Runnable task) {
        ThreadPlace.leaveFor(() -> Thread.ofVirtual().name(name).start(task));
    }

    @Override
    public Timer after(long nanos, Runnable task) {
        CompletableFuture<Void> due = new CompletableFuture<>();
        due.thenRun(() -> run(task));
        ThreadPlace.leaveFor(() -> due.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS));
        return () -> due.cancel(false); // which cancels its time-out, too
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) { // else it would stay unseen in a future
            System.getLogger(SystemEnvironment.class.getName()).log(Level.ERROR, "a timer failed", e);
        }
    }

    @Override
    public RandomGenerator random() {
        return Random.SECURE;
    }

    @Override
    public RandomGenerator jitter() {
        return ThreadLocalRandom.current();
    }

    @Override
    public Network network() {
        return network;
    }
}
