package io.rdma.internal.connect;

import io.rdma.environment.Environment;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Task that waits for the network, on a virtual thread of its own. */
final class NetworkTask {
    private NetworkTask() {}

    /** Starts a task. Its future fails with the exception itself, which that of supplyAsync would wrap. */
    static <T extends @Nullable Object> CompletableFuture<T> start(
            Environment environment, String thread, Supplier<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        environment.start(thread, () -> {
            try {
                result.complete(task.get());
            } catch (Throwable e) { // any failure must complete the future
                result.completeExceptionally(e);
            }
        });
        return result;
    }
}
