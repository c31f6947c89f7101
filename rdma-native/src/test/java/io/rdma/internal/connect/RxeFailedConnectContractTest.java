package io.rdma.internal.connect;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeFailedConnectContractTest extends FailedConnectContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    String host() {
        return "10.77.0.1";
    }
}
