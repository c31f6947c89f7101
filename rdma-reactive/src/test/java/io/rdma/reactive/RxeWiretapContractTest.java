package io.rdma.reactive;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeWiretapContractTest extends WiretapContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
