package io.rdma.reactive;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMessagesContractTest extends MessagesContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
