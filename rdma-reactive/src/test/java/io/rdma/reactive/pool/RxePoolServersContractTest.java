package io.rdma.reactive.pool;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxePoolServersContractTest extends PoolServersContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
