package io.rdma.samples.simulation.schedule;

import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

// Invariant: a monitor is in the map while a thread holds it or waits in it.

/** Monitors of objects, for threads that a scheduler runs. They stand for those of the JVM. */
public final class Monitors {
    private final Scheduler scheduler;
    private final Map<Object, Monitor> monitors = new IdentityHashMap<>();

    private static final class Monitor {
        @Nullable
        Thread owner;

        int depth;
        int waiters;
        final WaitQueue entering;
        final WaitQueue waiting;

        Monitor(Scheduler scheduler) {
            entering = new WaitQueue(scheduler);
            waiting = new WaitQueue(scheduler);
        }
    }

    public Monitors(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** Enters an object's monitor. */
    public void enter(Object object) {
        acquire(object, 1);
    }

    private void acquire(Object object, int depth) {
        Thread current = Thread.currentThread();
        while (true) {
            Monitor monitor = monitors.computeIfAbsent(object, any -> new Monitor(scheduler));
            if (monitor.owner != null && scheduler.isDead(monitor.owner)) {
                monitor.depth = 0; // of a class, which hosts of one JVM share; each process has its own
                monitor.owner = null;
            }
            if (monitor.owner == null || monitor.owner == current) {
                monitor.owner = current;
                monitor.depth += depth;
                return;
            }
            monitor.entering.await();
        }
    }

    /** Leaves an object's monitor. */
    public void exit(Object object) {
        Monitor monitor = held(object);
        if (--monitor.depth == 0) {
            release(object, monitor);
        }
    }

    private Monitor held(Object object) {
        Monitor monitor = monitors.get(object);
        if (monitor == null || monitor.owner != Thread.currentThread()) {
            throw new IllegalMonitorStateException("the thread does not hold the monitor");
        }
        return monitor;
    }

    private void release(Object object, Monitor monitor) {
        monitor.owner = null;
        monitor.depth = 0;
        // A thread that is woken competes with those that enter meanwhile, as with monitors of the JVM.
        if (!monitor.entering.wake() && monitor.waiters == 0) {
            monitors.remove(object);
        }
    }

    /**
     * Waits as {@link Object#wait(long)} does. An interrupt does not end the wait; it is reported after it.
     *
     * @param millis 0 for no bound
     */
    public void await(Object object, long millis) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Monitor monitor = held(object);
        int depth = monitor.depth;
        monitor.waiters++;
        release(object, monitor);
        monitor.waiting.await(millis == 0 ? -1 : millis * 1_000_000);
        monitor.waiters--;
        acquire(object, depth);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    /** Wakes one thread, or all that wait in an object's monitor. */
    public void signal(Object object, boolean all) {
        WaitQueue waiting = held(object).waiting;
        if (all) {
            waiting.wakeAll();
        } else {
            waiting.wake();
        }
    }
}
