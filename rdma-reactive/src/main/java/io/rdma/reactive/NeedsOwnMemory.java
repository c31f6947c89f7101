package io.rdma.reactive;

import io.rdma.internal.engine.WorkRequest;
import java.util.function.Supplier;

/** Answer of a {@link ScopedSendMono.Filler} whose message does not fit into a buffer of the pool. */
final class NeedsOwnMemory extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Makes the request, with registered memory of its own, which the engine closes. Blocks for system calls. */
    final transient Supplier<WorkRequest> request;

    NeedsOwnMemory(Supplier<WorkRequest> request) {
        super(null, null, false, false);
        this.request = request;
    }
}
