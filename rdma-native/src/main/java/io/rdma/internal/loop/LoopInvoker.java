package io.rdma.internal.loop;

import io.rdma.engine.IdleStrategy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

// Invariants
// - One thread calls invoke(), mayPoll() and sleep(), the first one that did.
// - `asleep` is set before the driver asks for the last time whether it may sleep. So a caller of wakeUp() that made
// work before is seen, or it sees `asleep` and wakes the driver.
// - Nothing that a step throws leaves invoke(): it makes the loop dead, whose tasks and closes still run. `threw` is
// whether the last step did, so that a repeating error does not occupy the processor.

/**
 * Driver of a completion loop, for a thread that may have other work, such as another event loop. Each call of {@link
 * #invoke} runs one step of the completion loop and returns. It never waits, so the caller decides when the next step
 * runs, and whether to {@link #sleep} until there is work. {@link LoopThread} is a thread without other work.
 */
public final class LoopInvoker {
    /** Longest pause between two steps of a dead loop that is closing, or whose steps throw. */
    private static final long DEAD_TICK_NANOS = 5_000_000;

    private final CompletionLoop loop;
    private final Idling idling;
    private final AtomicBoolean asleep = new AtomicBoolean();
    private boolean driving;
    private boolean threw;
    private volatile boolean finished;

    /**
     * Creates the driver of a loop that has no other.
     *
     * @param loop new
     * @param strategy what {@link #mayPoll} answers
     */
    public LoopInvoker(CompletionLoop loop, IdleStrategy strategy) {
        this.loop = loop;
        idling = new Idling(strategy, Runtime.getRuntime().availableProcessors(), loop.environment());
    }

    /** Returns the loop. */
    public CompletionLoop loop() {
        return loop;
    }

    /**
     * Runs one step. Throws nothing.
     *
     * @return 0 if there was nothing to do
     */
    public int invoke() {
        if (!driving) {
            loop.drive();
            driving = true;
        }
        if (finished) {
            return 0;
        }
        int work = 0;
        try {
            work = loop.doWork();
            if (loop.failure() != null) {
                loop.failAll();
            }
            threw = false;
        } catch (Throwable t) {
            fail(t);
        }
        if (loop.isFinished()) {
            finished = true;
            loop.finish();
        }
        if (work > 0) {
            idling.worked();
        }
        return work;
    }

    /**
     * Decides after a step without work, as the idle strategy has it. May spin or pause for some microseconds.
     *
     * @return whether to run another step; else {@link #sleep}, if there is no other work
     */
    public boolean mayPoll() {
        try {
            return loop.failure() == null && !idling.shouldSleep();
        } catch (Throwable t) {
            fail(t);
            return false;
        }
    }

    /**
     * Waits until the device has a completion, until {@link #wakeUp}, or until the time is over. Returns at once if
     * there is work. Throws nothing.
     *
     * @param maySleep asked when every later {@link #wakeUp} will end the wait: whether the caller has no work
     * @param atMostNanos longest wait; negative for no bound. It is rounded up to milliseconds
     */
    public void sleep(BooleanSupplier maySleep, long atMostNanos) {
        asleep.set(true);
        try {
            if (finished || loop.failure() != null) {
                rest(maySleep, atMostNanos);
            } else if (loop.prepareSleep() && maySleep.getAsBoolean()) {
                idling.fallsAsleep();
                loop.await(atMostNanos);
                idling.wokeUp();
            } else {
                idling.worked();
            }
        } catch (Throwable t) {
            fail(t);
        } finally {
            asleep.set(false);
        }
    }

    /** Waits for tasks and for ending endpoints of a dead loop, whose channel may have failed. */
    private void rest(BooleanSupplier maySleep, long atMostNanos) {
        if (!loop.hasNoTask() || !maySleep.getAsBoolean()) {
            return;
        }
        if (atMostNanos < 0 && loop.mayPark() && !threw) {
            LockSupport.park(loop);
        } else {
            LockSupport.parkNanos(loop, atMostNanos < 0 ? DEAD_TICK_NANOS : Math.min(DEAD_TICK_NANOS, atMostNanos));
        }
    }

    /** Ends the current {@link #sleep} if there is one. Any thread, after it has made work. */
    public void wakeUp() {
        if (asleep.get() && asleep.compareAndSet(true, false)) {
            loop.wakeUp();
        }
    }

    private void fail(Throwable cause) {
        threw = true;
        try {
            loop.die(cause);
        } catch (Throwable again) { // such as out of memory: each step of a dead loop fails its connections again
        }
    }

    /** Returns whether the loop was closed and its last step has run. Any thread. */
    public boolean isFinished() {
        return finished;
    }
}
