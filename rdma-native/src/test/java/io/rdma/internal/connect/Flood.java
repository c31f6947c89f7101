package io.rdma.internal.connect;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.Operation;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.types.AccessFlag;
import java.util.Set;
import java.util.function.Consumer;

/** Messages of four bytes from one buffer, all submitted at once. */
final class Flood {
    private Flood() {}

    /** Submits messages. Each that fails passes its error on. */
    static void send(Endpoint by, int messages, Consumer<RuntimeException> failed) {
        RegisteredBuffer buffer = RegisteredBuffer.of(by.memory().allocate(4, Set.of(AccessFlag.LOCAL_WRITE)), 0, 4);
        for (int i = 0; i < messages; i++) {
            by.submit(new Operation(WorkRequest.send(buffer, false)) {
                @Override
                protected void completed(long value) {}

                @Override
                protected void failed(RuntimeException error) {
                    failed.accept(error);
                }
            });
        }
        buffer.close();
    }
}
