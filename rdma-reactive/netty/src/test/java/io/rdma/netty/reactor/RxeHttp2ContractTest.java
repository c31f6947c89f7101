package io.rdma.netty.reactor;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeHttp2ContractTest extends Http2Contract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
