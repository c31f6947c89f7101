package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLargeGatherContractTest extends LargeGatherContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
