package io.rdma.connect;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Task that waits for the network, on a virtual thread of its own. */
final class NetworkTask {
    private NetworkTask() {}

    /** Starts a task. Unlike that of supplyAsync, its future fails with the exception itself. */
    static <T extends @Nullable Object> CompletableFuture<T> start(String thread, Supplier<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofVirtual().name(thread).start(() -> {
            try {
                result.complete(task.get());
            } catch (Throwable e) { // whoever waits must hear of it, whatever it is
                result.completeExceptionally(e);
            }
        });
        return result;
    }
}
