package io.rdma.reactive.rsocket;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeRSocketCloseContractTest extends RSocketCloseContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
