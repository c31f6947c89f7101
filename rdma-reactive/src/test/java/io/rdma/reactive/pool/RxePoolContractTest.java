package io.rdma.reactive.pool;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxePoolContractTest extends PoolContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
