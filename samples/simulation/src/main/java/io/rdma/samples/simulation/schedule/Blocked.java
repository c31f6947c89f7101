package io.rdma.samples.simulation.schedule;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Steps of a thread that waits for a monitor of the JDK. A thread outside of the simulation has the monitor, such as
 * the JDK's Cleaner. That is no part of a run: the step goes on after it.
 */
final class Blocked {
    /** Seconds for which a thread outside of the simulation may hold a monitor of the JDK. */
    private static final int LONGEST_HELD = 60;

    private final LinkedBlockingQueue<Runnable> unblocked = new LinkedBlockingQueue<>();

    /** Returns whether a thread waits for a monitor of the JDK, or has just stopped waiting for it. */
    static boolean is(Task task) {
        Thread.State state = task.thread().getState();
        return state == Thread.State.BLOCKED || state == Thread.State.RUNNABLE;
    }

    /** Adds the next step of the thread. The JDK's own thread calls this. */
    void add(Runnable step) {
        unblocked.add(step);
    }

    /** Waits for the next step of the thread. */
    Runnable next(Task task) {
        try {
            Runnable step = unblocked.poll(LONGEST_HELD, TimeUnit.SECONDS);
            if (step == null) {
                throw new IllegalStateException(task + " waits for a monitor of the JDK" + task.where());
            }
            return step;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
