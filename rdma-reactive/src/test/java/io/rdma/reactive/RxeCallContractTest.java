package io.rdma.reactive;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeCallContractTest extends CallContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
