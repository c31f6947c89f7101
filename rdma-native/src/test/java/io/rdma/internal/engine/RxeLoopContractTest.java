package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLoopContractTest extends LoopContract {
    @Override
    String device() {
        return "rxe0";
    }

    @Override
    int manyConnections() {
        return 100;
    }
}
