package io.rdma.reactive;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.WorkRequest;
import java.util.function.Function;
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

    /** Returns a request that the writer makes of registered memory of its own, which the request owns. */
    static WorkRequest request(Endpoint endpoint, int length, Function<RegisteredBuffer, WorkRequest> writer) {
        RegisteredBuffer buffer = endpoint.memory().allocateBuffer(length);
        try {
            return writer.apply(buffer);
        } catch (Throwable e) { // the writer is application code: on any exception the buffer must be closed
            buffer.close();
            throw e;
        }
    }
}
