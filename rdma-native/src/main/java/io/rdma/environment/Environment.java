package io.rdma.environment;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/**
 * Clock, threads, randomness and network of a device and of the connections on it. Code below the front-ends reads no
 * clock, starts no thread and opens no TCP socket of its own accord, so one environment can run both ends of a
 * connection under its own control.
 */
public interface Environment {
    /** Environment of this JVM: its clock, threads and {@link java.security.SecureRandom}, and its host's network. */
    Environment SYSTEM = new SystemEnvironment();

    /** Task that has not run yet. */
    @FunctionalInterface
    interface Timer {
        /** Cancels the task, unless it has begun. */
        void cancel();
    }

    /**
     * Returns the time since an arbitrary moment.
     *
     * @return nanoseconds, to be compared by subtraction as those of {@link System#nanoTime}
     */
    long nanoTime();

    /**
     * Returns the time of day.
     *
     * @return nanoseconds since 1970
     */
    long epochNanos();

    /**
     * Creates a daemon thread for a task that runs as long as its owner, such as a completion loop.
     *
     * @param name name of the thread
     * @param task task of the thread
     * @return the thread, not started
     */
    Thread newThread(String name, Runnable task);

    /**
     * Starts a task that ends by itself and may block, on a thread of its own.
     *
     * @param name name of the thread
     * @param task task of the thread
     */
    void start(String name, Runnable task);

    /**
     * Starts a task like {@link #start}. If no thread can be started, the caller runs it.
     *
     * @param name name of the thread
     * @param task task that must run, even if it takes the caller's time
     */
    default void startOrRun(String name, Runnable task) {
        Runnable once = task;
        try {
            AtomicBoolean begun = new AtomicBoolean();
            once = () -> {
                if (begun.compareAndSet(false, true)) {
                    task.run();
                }
            };
            start(name, once);
        } catch (Throwable e) { // no memory for a thread; it may run all the same
            once.run();
        }
    }

    /**
     * Runs a short task after some time, on a thread that all timers share.
     *
     * @param nanos delay
     * @param task task that must not block; what it throws is logged
     * @return to cancel it before
     */
    Timer after(long nanos, Runnable task);

    /**
     * Starts a task on a thread of its own after some time. If no thread can be started, the thread of the timers runs
     * it.
     *
     * @param nanos delay
     * @param name name of the thread
     * @param task task that may block
     * @return to cancel it before
     */
    default Timer startAfter(long nanos, String name, Runnable task) {
        return after(nanos, () -> startOrRun(name, task));
    }

    /**
     * Returns the source of everything that a peer must not guess: keys, packet sequence numbers, tokens.
     *
     * @return thread-safe
     */
    RandomGenerator random();

    /**
     * Returns a source of numbers that spread retries over time. Anyone may guess them, and taking one never blocks, so
     * completion loops may use it.
     *
     * @return for the calling thread alone
     */
    RandomGenerator jitter();

    /**
     * Returns the network of the host.
     *
     * @return thread-safe
     */
    Network network();

    /**
     * Returns an executor that starts a thread for each task. If no thread can be started, the caller runs the task: a
     * future would keep an error of its executor to itself.
     *
     * @param name name of the threads
     * @return for tasks that must run and may block for a short time
     */
    default Executor executor(String name) {
        return task -> startOrRun(name, task);
    }
}
