package io.rdma.verbs;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeConformanceContractTest extends ConformanceContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
