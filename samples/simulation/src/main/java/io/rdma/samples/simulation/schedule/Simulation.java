package io.rdma.samples.simulation.schedule;

import io.rdma.samples.simulation.hooks.Hooks;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariants
// - At most one simulation runs in a JVM at a time.
// - The thread that calls run() is the only one that runs code of the simulation.

/** One run of simulated threads: their scheduler, clock and monitors. What they do is up to the caller. */
public final class Simulation {
    private final Choices pauses;
    private final Trace trace;
    private final Scheduler scheduler;
    private final Monitors monitors;
    private final Pauses often;
    private int untilPause;
    private @Nullable Throwable uncaught;

    /**
     * How often, and for how long, threads are held between two accesses to shared memory.
     *
     * @param every accesses from one pause to the next, on average; 0 for no pauses
     * @param longOnes one in this number of pauses lasts for a time, the others until other threads have had a turn
     * @param longest nanoseconds of the longest
     */
    public record Pauses(int every, int longOnes, long longest) {
        public static final Pauses NONE = new Pauses(0, 1, 1);
        public static final Pauses USUAL = new Pauses(20, 30, 5_000_000);

        public Pauses {
            Bounds.atLeast(0, every, "every");
            Bounds.atLeast(1, longOnes, "longOnes");
            Bounds.atLeast(1, longest, "longest");
        }
    }

    public Simulation(long seed, Pauses often, Trace.Detail told) {
        Choices choices = new Choices(seed);
        pauses = choices.split();
        trace = new Trace(told);
        scheduler = new Scheduler(choices, trace);
        monitors = new Monitors(scheduler);
        this.often = often;
        untilPause = nextPause();
    }

    public Scheduler scheduler() {
        return scheduler;
    }

    public Trace trace() {
        return trace;
    }

    /** Returns a builder of simulated threads. */
    public Thread.Builder.OfVirtual threads() {
        return Tasks.threads(scheduler);
    }

    private void uncaught(Thread thread, Throwable failure) {
        trace.note(thread.getName() + " threw " + failure);
        if (uncaught == null) {
            uncaught = failure;
        }
    }

    /** Runs the simulated threads without a bound of their steps. */
    public boolean run(Duration longest) {
        return run(longest, Long.MAX_VALUE);
    }

    /**
     * Runs the simulated threads until all have ended or wait for ever.
     *
     * @param longest virtual time
     * @param steps most steps: threads that spin would take years for the virtual time
     * @return whether nothing is left to run
     */
    public boolean run(Duration longest, long steps) {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler(this::uncaught); // also for threads that the library starts
        Hooks.set(new Control());
        try {
            return scheduler.run(scheduler.after(longest.toNanos()), steps);
        } finally {
            trace.actor(scheduler.now(), "the end");
            Hooks.set(null);
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    /** Returns the first exception that no one caught in a simulated thread, or null. */
    public @Nullable Throwable uncaught() {
        return uncaught;
    }

    private int nextPause() {
        return often.every == 0 ? Integer.MAX_VALUE : 1 + pauses.below(2 * often.every);
    }

    private final class Control implements Hooks.Simulation {
        @Override
        public long nanoTime() {
            return scheduler.now();
        }

        @Override
        public @Nullable Future<?> schedule(Executor of, Runnable task, long delay, TimeUnit unit) {
            return of == scheduler ? scheduler.at(scheduler.after(unit.toNanos(delay)), task) : null;
        }

        @Override
        public void pause() {
            if (--untilPause > 0) {
                return;
            }
            untilPause = nextPause();
            if (pauses.oneIn(often.longOnes)) {
                scheduler.hold(1 + pauses.below(often.longest));
            } else {
                scheduler.pause();
            }
        }

        @Override
        public void spin() {
            scheduler.spin();
        }

        @Override
        public void enter(Object monitor) {
            pause();
            monitors.enter(monitor);
        }

        @Override
        public void exit(Object monitor) {
            monitors.exit(monitor);
        }

        @Override
        public void await(Object monitor, long millis) throws InterruptedException {
            monitors.await(monitor, millis);
        }

        @Override
        public void signal(Object monitor, boolean all) {
            monitors.signal(monitor, all);
        }
    }
}
