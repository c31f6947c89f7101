package io.rdma.internal.engine;

import io.rdma.engine.BoundWindow;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.MemoryWindow;
import io.rdma.verbs.MemoryWindowBinding;
import java.util.concurrent.CompletableFuture;

// Invariant: once the future has completed with the window, the window belongs to it. Until then, and if no caller
// waits for the future, this operation closes the window.

/** The bind of a memory window of type 2, as an operation. */
final class BindOperation extends Operation {
    private static final WorkRequest REQUEST = new WorkRequest(WorkRequestOpcode.BIND_MW, null, null, null, false);

    private final MemoryWindow window;
    private final MemoryWindowBinding binding;
    private final BoundWindow bound;
    private final CompletableFuture<BoundWindow> result = new CompletableFuture<>();

    BindOperation(MemoryWindow window, BoundWindow bound, MemoryWindowBinding binding) {
        super(REQUEST);
        this.window = window;
        this.bound = bound;
        this.binding = binding;
    }

    MemoryWindow window() {
        return window;
    }

    MemoryWindowBinding binding() {
        return binding;
    }

    CompletableFuture<BoundWindow> result() {
        return result;
    }

    @Override
    protected void completed(long value) {
        if (!result.complete(bound)) {
            bound.close(); // no caller waits any more
        }
    }

    @Override
    protected void failed(RuntimeException error) {
        bound.close();
        result.completeExceptionally(error);
    }
}
