package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeEngineContractTest extends EngineContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
