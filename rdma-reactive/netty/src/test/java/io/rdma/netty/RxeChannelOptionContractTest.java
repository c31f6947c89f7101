package io.rdma.netty;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeChannelOptionContractTest extends ChannelOptionContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
