package io.rdma.internal.connect;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeSharedGrowthContractTest extends SharedGrowthContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
