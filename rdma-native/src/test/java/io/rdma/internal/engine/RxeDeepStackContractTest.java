package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeDeepStackContractTest extends DeepStackContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    int largeRounds() {
        return 5; // an error of the stack is slow in User Mode Linux, and soft0 has the compiled methods
    }
}
