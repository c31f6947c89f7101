package io.rdma.internal.engine;

import io.rdma.engine.BoundWindow;
import io.rdma.internal.close.CloseSteps;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.MemoryWindow;
import io.rdma.verbs.MemoryWindowBinding;
import java.util.concurrent.CompletableFuture;

// Invariant: once the future has completed with the window, the window belongs to it. Until then, and if no caller
// waits for the future, this operation closes the window.

/** The bind of a memory window of type 2, as an operation. */
final class BindOperation extends Operation {
    static final WorkRequest REQUEST = new WorkRequest(WorkRequestOpcode.BIND_MW, null, null, null, false);

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
        if (!result.complete(bound)) { // no caller waits any more
            report(free());
        }
    }

    @Override
    protected void failed(RuntimeException error) {
        CloseSteps freeing = free();
        result.completeExceptionally(error);
        report(freeing);
    }

    private CloseSteps free() {
        return new CloseSteps().run(bound::close);
    }

    private static void report(CloseSteps freeing) {
        freeing.log(BindOperation.class, "a memory window was not freed: it is closed with its connection");
    }
}
