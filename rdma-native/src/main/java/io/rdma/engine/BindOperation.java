package io.rdma.engine;

import io.rdma.verbs.MemoryWindow;
import io.rdma.verbs.MemoryWindowBinding;
import io.rdma.verbs.WorkRequestOpcode;
import java.util.concurrent.CompletableFuture;

// Invariant: the window is the future's, once that has completed with it; until then, and if nobody wants it, it is
// this
// operation's to close.

/** Binds a memory window of type 2. */
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
            bound.close(); // nobody waits any more
        }
    }

    @Override
    protected void failed(RuntimeException error) {
        bound.close();
        result.completeExceptionally(error);
    }
}
