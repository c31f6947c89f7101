package io.rdma.connect;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What waits for the network, on a virtual thread of its own. */
final class Waiting {
    private Waiting() {}

    /** Not supplyAsync, whose failures come wrapped. */
    static <T extends @Nullable Object> CompletableFuture<T> on(String thread, Supplier<T> task) {
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
