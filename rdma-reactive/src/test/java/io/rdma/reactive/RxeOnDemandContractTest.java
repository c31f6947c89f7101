package io.rdma.reactive;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeOnDemandContractTest extends OnDemandContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
