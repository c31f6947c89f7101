package io.rdma.internal.loop;

import io.rdma.engine.IdleStrategy;
import io.rdma.environment.Environment;
import java.util.concurrent.locks.LockSupport;

// Invariants: one per loop, used by its thread only. `turns` counts empty turns since the last work or sleep. `until`
// is the time at which the loop stops polling, and 0 before the loop has read the clock. `yields` is the time at which
// the loop yields to other threads.

/** State of a loop's {@link IdleStrategy}. It decides after each empty turn whether the loop polls again or sleeps. */
final class Idling {
    private static final int BACK_OFF_SPINS = 1_000;
    private static final long MOST_PAUSE_NANOS = 1_000_000;
    /** Number of turns between two reads of the clock. */
    private static final int TURNS_TO_LOOK = 8;
    /** Time between two yields. Another thread may need the processor, perhaps the one that the loop waits for. */
    private static final long NANOS_TO_YIELD = 3_000;

    private static final long LEAST_POLLING_NANOS = 2_000;
    /**
     * Upper bound for polling. It must exceed a round trip in which every thread slept; otherwise the loop never finds
     * out that without sleep the round trip takes a tenth of that.
     */
    private static final long MOST_POLLING_NANOS = 200_000;

    private final IdleStrategy strategy;
    private final Environment environment;
    private long polling = 20_000;
    private long until;
    private long yields;
    private long asleepSince;
    private int turns;
    private long pause = 1_000;

    /**
     * Creates the state of a loop.
     *
     * @param processors of this process; on a single one, polling would block the thread that the loop waits for
     */
    Idling(IdleStrategy strategy, int processors, Environment environment) {
        this.environment = environment;
        this.strategy = strategy == IdleStrategy.ADAPTIVE && processors == 1 ? IdleStrategy.SLEEP : strategy;
    }

    void worked() {
        turns = 0;
        until = 0;
        pause = 1_000;
    }

    /**
     * Decides after an empty turn; may spin or pause.
     *
     * @return whether to sleep until the device or a task wakes the loop
     */
    boolean shouldSleep() {
        turns++;
        switch (strategy) {
            case BUSY_SPIN -> Thread.onSpinWait();
            case BACK_OFF -> {
                if (turns < BACK_OFF_SPINS) {
                    Thread.onSpinWait();
                } else {
                    LockSupport.parkNanos(pause);
                    pause = Math.min(MOST_PAUSE_NANOS, pause * 2);
                }
            }
            case SLEEP -> {
                return true;
            }
            case ADAPTIVE -> {
                if (turns % TURNS_TO_LOOK == 0) {
                    return look(environment.nanoTime());
                }
                Thread.onSpinWait();
            }
        }
        return false;
    }

    private boolean look(long now) {
        if (until == 0) {
            until = now + polling | 1; // odd, because 0 means that the clock was not read
            yields = now + NANOS_TO_YIELD;
        } else if (now - until >= 0) {
            return true;
        } else if (now - yields >= 0) {
            Thread.yield();
            yields = environment.nanoTime() + NANOS_TO_YIELD;
        }
        return false;
    }

    /** Notes the beginning of a sleep. Reads the clock only if the strategy needs it. */
    void fallsAsleep() {
        if (strategy == IdleStrategy.ADAPTIVE) {
            asleepSince = environment.nanoTime();
        }
    }

    /** Adapts the polling time to the length of the sleep that ends. */
    void wokeUp() {
        turns = 0;
        until = 0;
        if (strategy != IdleStrategy.ADAPTIVE) {
            return;
        }
        long nanos = environment.nanoTime() - asleepSince;
        polling = nanos < MOST_POLLING_NANOS
                ? Math.min(MOST_POLLING_NANOS, polling * 2)
                : Math.max(LEAST_POLLING_NANOS, polling / 2);
    }
}
