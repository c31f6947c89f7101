package io.rdma.samples.pipeline;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

// Invariants: one caller of turn() at a time; all other methods from any thread. After a call of hurry(), a wait lasts
// at most one more step.

/**
 * The pace at which the sink takes blocks: at full speed, slowly in a range of blocks, and with a pause before
 * one block.
 */
public final class Pace {
    private static final CompletableFuture<Void> NOW = CompletableFuture.completedFuture(null);
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(2); // resolution of timers

    private final long slowFrom;
    private final long slowTo;
    private final long stepNanos;
    private final long pauseAt;
    private final CompletableFuture<Void> resumed = new CompletableFuture<>();
    private volatile boolean hurried;
    private long due = System.nanoTime();

    /**
     * Creates a pace.
     *
     * @param slowFrom first block that is taken slowly
     * @param slowTo first block after that range
     * @param perSecond rate of the slow blocks
     * @param pauseAt block before which the sink pauses until it is resumed
     */
    Pace(long slowFrom, long slowTo, int perSecond, long pauseAt) {
        this.slowFrom = slowFrom;
        this.slowTo = slowTo;
        if (perSecond < 1) {
            throw new IllegalArgumentException("--sink-rate must be at least 1: " + perSecond);
        }
        this.stepNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        this.pauseAt = pauseAt;
    }

    /**
     * Waits until a message is due.
     *
     * @param message the next one
     * @return completes when it is due, on a thread that must not be blocked
     */
    public CompletableFuture<Void> turn(Message message) {
        if (!(message instanceof Message.Block block) || hurried) {
            return NOW;
        }
        long number = block.number();
        if (number == pauseAt && !resumed.isDone()) {
            System.out.println("standing still after " + number + " blocks; press Enter to continue");
            return resumed;
        }
        if (number < slowFrom || number >= slowTo) {
            return NOW;
        }
        long now = System.nanoTime();
        due = (due - now < 0 ? now : due) + stepNanos;
        return due - now < SHORTEST_NANOS
                ? NOW
                : new CompletableFuture<Void>().completeOnTimeout(null, due - now, TimeUnit.NANOSECONDS);
    }

    /** Ends the pause, or prevents it if it has not begun. */
    void resume() {
        resumed.complete(null);
    }

    /** Switches to full speed. */
    void hurry() {
        hurried = true;
        resume();
    }
}
