package io.rdma.samples.simulation.hooks;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariants
// - The boot class loader has this class, because classes of the JDK call it. So it uses nothing but java.base;
// annotations that are missing there do no harm.
// - Code of a simulation runs on virtual threads only, and no other virtual thread exists in the JVM of a simulation.
// - Instrumented code has no monitors of the JVM, so no other thread may run code of the library beside a simulation.

/**
 * Door from instrumented code to the simulation that runs now. Outside a simulation, and on threads that are not
 * simulated, each hook does what the instrumented code did.
 */
public final class Hooks {
    /** The simulation that runs now. */
    public interface Simulation {
        /** Returns the virtual time, as {@link System#nanoTime}. */
        long nanoTime();

        /**
         * Schedules what ends a timed wait of a virtual thread.
         *
         * @return null if the virtual thread is not simulated
         */
        @Nullable
        Future<?> schedule(Executor scheduler, Runnable task, long delay, TimeUnit unit);

        /** The calling thread is about to access memory that other threads access, too. */
        void pause();

        /** The calling thread waits for another one without blocking. */
        void spin();

        /** The calling thread enters a monitor. */
        void enter(Object monitor);

        /** The calling thread leaves a monitor. */
        void exit(Object monitor);

        /** {@link Object#wait(long)}; 0 for no bound. */
        void await(Object monitor, long millis) throws InterruptedException;

        /** {@link Object#notify} and {@link Object#notifyAll}. */
        void signal(Object monitor, boolean all);
    }

    private static volatile @Nullable Simulation current;

    private Hooks() {}

    /**
     * Begins or ends a simulation.
     *
     * @param simulation null to end it
     */
    public static void set(@Nullable Simulation simulation) {
        current = simulation;
    }

    private static @Nullable Simulation here() {
        Simulation simulation = current;
        return simulation != null && Thread.currentThread().isVirtual() ? simulation : null;
    }

    /** In place of {@link System#nanoTime}. */
    public static long nanoTime() {
        Simulation simulation = here();
        return simulation == null ? System.nanoTime() : simulation.nanoTime();
    }

    /** At the begin of {@code VirtualThread.schedule}; null to go on there. */
    public static @Nullable Future<?> schedule(Executor scheduler, Runnable task, long delay, TimeUnit unit) {
        Simulation simulation = current;
        return simulation == null ? null : simulation.schedule(scheduler, task, delay, unit);
    }

    /** Before each access to memory that other threads access, too. */
    public static void pause() {
        Simulation simulation = here();
        if (simulation != null) {
            simulation.pause();
        }
    }

    /** In place of {@link Thread#onSpinWait}. */
    public static void spin() {
        Simulation simulation = here();
        if (simulation == null) {
            Thread.onSpinWait();
        } else {
            simulation.spin();
        }
    }

    /** In place of entering a monitor. */
    public static void enter(Object monitor) {
        Simulation simulation = here();
        if (simulation != null) {
            simulation.enter(monitor);
        }
    }

    /** In place of leaving a monitor. */
    public static void exit(Object monitor) {
        Simulation simulation = here();
        if (simulation != null) {
            simulation.exit(monitor);
        }
    }

    /** In place of {@link Object#wait()}. */
    public static void await(Object monitor) throws InterruptedException {
        await(monitor, 0);
    }

    /** In place of {@link Object#wait(long)}. */
    public static void await(Object monitor, long millis) throws InterruptedException {
        Simulation simulation = here();
        if (simulation == null) {
            monitor.wait(millis);
        } else {
            simulation.await(monitor, millis);
        }
    }

    /** In place of {@link Object#notify}. */
    public static void signal(Object monitor) {
        Simulation simulation = here();
        if (simulation == null) {
            monitor.notify();
        } else {
            simulation.signal(monitor, false);
        }
    }

    /** In place of {@link Object#notifyAll}. */
    public static void signalAll(Object monitor) {
        Simulation simulation = here();
        if (simulation == null) {
            monitor.notifyAll();
        } else {
            simulation.signal(monitor, true);
        }
    }
}
