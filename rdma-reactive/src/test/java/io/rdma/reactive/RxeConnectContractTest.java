package io.rdma.reactive;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeConnectContractTest extends ConnectContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
