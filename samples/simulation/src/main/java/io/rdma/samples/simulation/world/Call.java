package io.rdma.samples.simulation.world;

import java.util.concurrent.CompletableFuture;

/**
 * Started operation of a front-end. It ends exactly once: with its value, with a failure, or with
 * {@link java.util.concurrent.CancellationException} because it was cancelled.
 */
public interface Call<T> {
    CompletableFuture<T> end();

    void cancel();

    /** Returns what completes when nothing of the call runs. A cancelled coroutine goes on until it suspends. */
    default CompletableFuture<?> gone() {
        return end().handle((value, failure) -> value);
    }

    /** Waits for the end, and returns whether the operation succeeded. */
    default boolean succeeds() {
        return end().handle((value, failure) -> failure == null).join();
    }
}
