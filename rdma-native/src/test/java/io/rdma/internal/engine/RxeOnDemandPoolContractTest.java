package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeOnDemandPoolContractTest extends OnDemandPoolContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    long faults() {
        return -1;
    }
}
