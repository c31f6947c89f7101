package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeFarewellContractTest extends FarewellContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    String host() {
        return "10.77.0.1";
    }
}
