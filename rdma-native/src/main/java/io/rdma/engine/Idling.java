package io.rdma.engine;

import java.util.concurrent.locks.LockSupport;

// Invariants: one per loop, its thread only. `turns` counts empty turns since the last work or sleep.

/** An {@link IdleStrategy} at work: decides after each empty turn whether the loop polls again or sleeps. */
final class Idling {
    private static final int LEAST_SPINS = 64;
    private static final int MOST_SPINS = 16_384;
    private static final int BACK_OFF_SPINS = 1_000;
    private static final long MOST_PAUSE_NANOS = 1_000_000;
    /** A sleep shorter than this cost more than polling would have. */
    private static final long SHORT_SLEEP_NANOS = 50_000;

    private final IdleStrategy strategy;
    private int spins = 256;
    private int turns;
    private long pause = 1_000;

    Idling(IdleStrategy strategy) {
        this.strategy = strategy;
    }

    void worked() {
        turns = 0;
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
                if (turns > spins) {
                    return true;
                }
                Thread.onSpinWait();
            }
        }
        return false;
    }

    /** It slept until it was woken by the device. */
    void slept(long nanos) {
        turns = 0;
        spins = nanos < SHORT_SLEEP_NANOS ? Math.min(MOST_SPINS, spins * 2) : Math.max(LEAST_SPINS, spins / 2);
    }
}
