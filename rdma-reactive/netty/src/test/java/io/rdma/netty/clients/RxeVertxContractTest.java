package io.rdma.netty.clients;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeVertxContractTest extends VertxContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
