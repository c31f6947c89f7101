package io.rdma.netty.reactor;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeHttpEndContractTest extends HttpEndContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
