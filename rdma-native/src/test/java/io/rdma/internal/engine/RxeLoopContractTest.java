package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLoopContractTest extends LoopContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    int manyConnections() {
        return 100;
    }
}
