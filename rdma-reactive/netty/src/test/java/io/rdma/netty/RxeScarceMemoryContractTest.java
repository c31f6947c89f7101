package io.rdma.netty;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeScarceMemoryContractTest extends ScarceMemoryContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
