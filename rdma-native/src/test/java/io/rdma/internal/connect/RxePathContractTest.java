package io.rdma.internal.connect;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxePathContractTest extends PathContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    String host() {
        return "10.77.0.1";
    }

    @Override
    boolean takesHopLimits() {
        return false;
    }
}
