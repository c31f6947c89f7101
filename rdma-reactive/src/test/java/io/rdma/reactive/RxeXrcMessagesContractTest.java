package io.rdma.reactive;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeXrcMessagesContractTest extends XrcMessagesContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    String host() {
        return "10.77.0.1";
    }
}
