package io.rdma.netty.reactor;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeHttpContractTest extends HttpContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
