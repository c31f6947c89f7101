package io.rdma.reactive;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeUnreliableConnectionContractTest extends UnreliableConnectionContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
