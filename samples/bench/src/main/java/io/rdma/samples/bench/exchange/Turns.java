package io.rdma.samples.bench.exchange;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

// Invariant: between the beginning and the end, the fields belong to the thread that signals answers.

/** A ping-pong in which the signal of each answer starts the next turn. */
final class Turns {
    private static final long PATIENCE_SECONDS = 120;

    private final Runnable ask;
    private volatile CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
    private @Nullable Histogram times;
    private int left;
    private long asked;

    /**
     * Creates the turns.
     *
     * @param ask sends a message that the peer answers
     */
    Turns(Runnable ask) {
        this.ask = ask;
    }

    void run(int count, Histogram into) throws Exception {
        times = into;
        left = count;
        await(() -> turn(System.nanoTime()));
    }

    /** Waits for one answer to a request that an action sends. */
    void once(Runnable asks) throws Exception {
        times = null;
        left = 1;
        await(asks);
    }

    private void await(Runnable start) throws Exception {
        CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
        done = end;
        start.run();
        end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Begins a turn, which is the end of the one before. So a turn reads the clock once, as perftest does. */
    private void turn(long now) {
        asked = now;
        ask.run();
    }

    void answered() {
        long now = System.nanoTime();
        Histogram into = times;
        if (into != null) {
            into.recordValue(now - asked);
        }
        if (--left == 0) {
            done.complete(null);
        } else {
            turn(now);
        }
    }

    void failed(Throwable error) {
        done.completeExceptionally(error);
    }
}
