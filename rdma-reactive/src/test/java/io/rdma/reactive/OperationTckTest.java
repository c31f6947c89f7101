package io.rdma.reactive;

import org.reactivestreams.Publisher;

/** TCK of Reactive Streams for an operation with a result. */
public class OperationTckTest extends ConnectionTck<Object> {
    /** Creates the test; called by TestNG. */
    public OperationTckTest() {
        super(1);
    }

    @Override
    public Publisher<Object> createPublisher(long elements) {
        TckPair.Ends ends = pair.connect();
        return ends.server()
                .allocate(8, io.rdma.types.AccessFlag.REMOTE_ATOMIC)
                .flatMap(region -> ends.client().fetchAndAdd(region.remote(), 1).cast(Object.class));
    }

    @Override
    public Publisher<Object> createFailedPublisher() {
        RdmaConnection connection = pair.connect().client();
        return connection
                .fetchAndAdd(new io.rdma.types.RemoteMemory(1, 8, 0), 1)
                .cast(Object.class); // misaligned
    }
}
