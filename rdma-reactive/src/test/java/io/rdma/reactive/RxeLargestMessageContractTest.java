package io.rdma.reactive;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLargestMessageContractTest extends LargestMessageContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
