package io.rdma.internal.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Delivery of the messages of a stream to the peer's device: a count up to the end of the stream, or an error. */
final class StreamDelivery {
    private final Runnable onWhole;
    private final AtomicLong arrived = new AtomicLong();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private volatile long total = -1; // number of messages once the stream has ended
    private volatile @Nullable RuntimeException failure;

    /**
     * Creates the delivery of a stream that begins.
     *
     * @param onWhole runs before the future completes without an error, once or more often
     */
    StreamDelivery(Runnable onWhole) {
        this.onWhole = onWhole;
    }

    void arrived(int messages) {
        arrived.addAndGet(messages);
    }

    void ended(long messages) {
        total = messages;
    }

    /** Notes that a message was not delivered. The first error counts. */
    void failed(RuntimeException error) {
        if (failure == null) {
            failure = error;
        }
    }

    @Nullable
    RuntimeException failure() {
        return failure;
    }

    /**
     * Completes the future if all messages up to the end were delivered, or one was not. Code of the application may
     * run meanwhile.
     */
    void complete() {
        RuntimeException error = failure;
        if (error != null) {
            end.completeExceptionally(error);
        } else if (arrived.get() == total) {
            onWhole.run();
            end.complete(null);
        }
    }

    /** Returns a future of the caller's own, which completes as {@link #complete} says. */
    CompletableFuture<Void> future() {
        return end.copy();
    }
}
