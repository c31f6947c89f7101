package io.rdma.samples.simulation.schedule;

import java.util.ArrayDeque;

/** Simulated threads that wait for something to happen. */
public final class WaitQueue {
    private final Scheduler scheduler;
    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();

    private static final class Waiter {
        final ArrayDeque<Runnable> place = new ArrayDeque<>(1);
        boolean timedOut;
    }

    public WaitQueue(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    /** Makes the calling thread wait until it is woken. */
    public void await() {
        await(-1);
    }

    /**
     * Makes the calling thread wait until it is woken or the time is over.
     *
     * @param nanos negative for no bound
     * @return false if the time is over
     */
    public boolean await(long nanos) {
        Waiter waiter = new Waiter();
        waiting.add(waiter);
        Timer bound = nanos < 0
                ? null
                : scheduler.at(scheduler.after(nanos), () -> {
                    waiter.timedOut = waiting.remove(waiter);
                    if (waiter.timedOut) {
                        scheduler.resume(waiter.place.remove());
                    }
                });
        scheduler.suspend(waiter.place);
        if (bound != null) {
            bound.cancel(false);
        }
        return !waiter.timedOut;
    }

    /** Wakes the thread that waits longest. Returns whether there was one. */
    public boolean wake() {
        Waiter first = waiting.poll();
        if (first != null) {
            scheduler.resume(first.place.remove());
        }
        return first != null;
    }

    public void wakeAll() {
        while (wake()) {
            // each
        }
    }
}
