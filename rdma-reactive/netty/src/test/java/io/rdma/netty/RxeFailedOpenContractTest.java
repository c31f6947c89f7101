package io.rdma.netty;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeFailedOpenContractTest extends FailedOpenContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
