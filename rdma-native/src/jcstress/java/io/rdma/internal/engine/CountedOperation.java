package io.rdma.internal.engine;

import io.rdma.types.RemoteMemory;
import java.lang.invoke.VarHandle;

/** An operation that counts how often its listener is notified of its end. */
final class CountedOperation extends Operation {
    private static final WorkRequest ATOMIC = WorkRequest.fetchAndAdd(new RemoteMemory(8, 8, 1), 1);

    int ends; // plain: used by the thread that ends it, then by the arbiter
    int payload; // plain: written before the post

    CountedOperation() {
        this(ATOMIC);
    }

    CountedOperation(WorkRequest request) {
        super(request);
    }

    /** Marks the operation as posted, and returns it. */
    CountedOperation posted() {
        if (!markPostedAtOnce()) {
            throw new AssertionError("abandoned");
        }
        return this;
    }

    /** Ends the operation, as when its completion is polled. */
    void endAlone() {
        ending();
        VarHandle.fullFence();
        complete(0);
    }

    @Override
    protected void completed(long value) {
        ends++;
    }

    @Override
    protected void failed(RuntimeException error) {
        ends++;
    }
}
