package io.rdma.engine;

import java.util.concurrent.locks.LockSupport;

// Invariants: one per loop, its thread only. `turns` counts empty turns since the last work or sleep; `until` is when
// the loop gives up polling, 0 before it looked at the clock.

/** An {@link IdleStrategy} at work: decides after each empty turn whether the loop polls again or sleeps. */
final class Idling {
    private static final int BACK_OFF_SPINS = 1_000;
    private static final long MOST_PAUSE_NANOS = 1_000_000;
    /** After so many turns, a few microseconds, whoever else wants this processor may have it: perhaps the one that is waited for. */
    private static final int TURNS_TO_YIELD = 64;

    private static final long LEAST_POLLING_NANOS = 2_000;
    /** What a sleep and its wake-up cost: who polls that long has lost no more than by sleeping at once. */
    private static final long MOST_POLLING_NANOS = 50_000;

    private final IdleStrategy strategy;
    private long polling = 20_000;
    private long until;
    private int turns;
    private long pause = 1_000;

    Idling(IdleStrategy strategy) {
        this.strategy = strategy;
    }

    void worked() {
        turns = 0;
        until = 0;
        pause = 1_000;
    }

    /** After an empty turn. @return whether to sleep until the device or a task wakes the loop */
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
                if (turns % TURNS_TO_YIELD != 0) {
                    Thread.onSpinWait();
                } else if (isTooLong()) {
                    return true;
                } else {
                    Thread.yield();
                }
            }
        }
        return false;
    }

    private boolean isTooLong() {
        long now = System.nanoTime();
        if (until == 0) {
            until = now + polling | 1; // never the 0 that means none
        }
        return now - until >= 0;
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
