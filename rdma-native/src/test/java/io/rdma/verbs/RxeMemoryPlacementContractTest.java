package io.rdma.verbs;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMemoryPlacementContractTest extends MemoryPlacementContract {
    @Override
    String name() {
        return TestDevice.real();
    }
}
