package io.rdma.samples.pipeline;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

// Invariants: one caller of turn() at a time; the others from any thread. A wait ends in any case once hurry() was
// called, but for at most one step.

/** How fast the sink takes blocks: at full speed, slowly for some of them, not at all from one of them on. */
public final class Pace {
    private static final CompletableFuture<Void> NOW = CompletableFuture.completedFuture(null);
    private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(2); // timers are not finer

    private final long slowFrom;
    private final long slowTo;
    private final long stepNanos;
    private final long pauseAt;
    private final CompletableFuture<Void> resumed = new CompletableFuture<>();
    private volatile boolean hurried;
    private long due = System.nanoTime();

    /**
     * A pace.
     *
     * @param slowFrom first block that is taken slowly
     * @param slowTo first one that is not any more
     * @param perSecond how many slow ones
     * @param pauseAt the block before which it stands still until it is resumed
     */
    Pace(long slowFrom, long slowTo, int perSecond, long pauseAt) {
        this.slowFrom = slowFrom;
        this.slowTo = slowTo;
        if (perSecond < 1) {
            throw new IllegalArgumentException("--sink-rate must be 1 at least: " + perSecond);
        }
        this.stepNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        this.pauseAt = pauseAt;
    }

    /**
     * Waits for the time to take a message.
     *
     * @param message the next one
     * @return completes then, on a thread that must not be blocked
     */
    public CompletableFuture<Void> turn(Message message) {
        if (!(message instanceof Message.Block block) || hurried) {
            return NOW;
        }
        long number = block.number();
        if (number == pauseAt && !resumed.isDone()) {
            System.out.println("standing still after " + number + " blocks; Enter goes on");
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

    /** Goes on after a pause, or will not pause. */
    void resume() {
        resumed.complete(null);
    }

    /** Full speed from now on. */
    void hurry() {
        hurried = true;
        resume();
    }
}
