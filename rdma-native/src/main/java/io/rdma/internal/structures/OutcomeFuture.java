package io.rdma.internal.structures;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The listener of a call of the host's processor, which completes a future.
 *
 * @param future completed by the end of the call
 * @param <T> type of the result
 */
record OutcomeFuture<T>(CompletableFuture<@Nullable T> future) implements StructureCall.Outcome<T> {
    @Override
    public void succeeded(@Nullable T value) {
        future.complete(value);
    }

    @Override
    public void failed(Throwable error) {
        future.completeExceptionally(error);
    }
}
