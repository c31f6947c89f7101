package io.rdma.engine;

import java.util.concurrent.locks.LockSupport;

// Invariants: one per loop, its thread only. `turns` counts empty turns since the last work or sleep; `until` is when
// the loop gives up polling, and `yields` when it lets others go first; `until` is 0 before it looked at the clock.

/** An {@link IdleStrategy} at work: decides after each empty turn whether the loop polls again or sleeps. */
final class Idling {
    private static final int BACK_OFF_SPINS = 1_000;
    private static final long MOST_PAUSE_NANOS = 1_000_000;
    /** After so many turns it looks at the clock. */
    private static final int TURNS_TO_LOOK = 8;
    /** Then whoever else wants this processor may have it: perhaps the one that is waited for. */
    private static final long NANOS_TO_YIELD = 3_000;

    private static final long LEAST_POLLING_NANOS = 2_000;
    /**
     * More than what comes back takes when all on its way slept, else it would never be found out that without sleep it
     * takes a tenth.
     */
    private static final long MOST_POLLING_NANOS = 200_000;

    private final IdleStrategy strategy;
    private long polling = 20_000;
    private long until;
    private long yields;
    private int turns;
    private long pause = 1_000;

    /** @param processors that this process has: on a single one polling keeps from running what it waits for */
    Idling(IdleStrategy strategy, int processors) {
        this.strategy = strategy == IdleStrategy.ADAPTIVE && processors == 1 ? IdleStrategy.SLEEP : strategy;
    }

    void worked() {
        turns = 0;
        until = 0;
        pause = 1_000;
    }

    /**
     * After an empty turn.
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
                    return look(System.nanoTime());
                }
                Thread.onSpinWait();
            }
        }
        return false;
    }

    private boolean look(long now) {
        if (until == 0) {
            until = now + polling | 1; // never the 0 that means none
            yields = now + NANOS_TO_YIELD;
        } else if (now - until >= 0) {
            return true;
        } else if (now - yields >= 0) {
            Thread.yield();
            yields = System.nanoTime() + NANOS_TO_YIELD;
        }
        return false;
    }

    /** It slept until it was woken by the device. */
    void slept(long nanos) {
        turns = 0;
        until = 0;
        polling = nanos < MOST_POLLING_NANOS
                ? Math.min(MOST_POLLING_NANOS, polling * 2)
                : Math.max(LEAST_POLLING_NANOS, polling / 2);
    }
}
