package io.rdma.reactive.structures;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLocksContractTest extends LocksContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
