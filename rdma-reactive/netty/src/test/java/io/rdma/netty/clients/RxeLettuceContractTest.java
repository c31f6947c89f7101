package io.rdma.netty.clients;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLettuceContractTest extends LettuceContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
