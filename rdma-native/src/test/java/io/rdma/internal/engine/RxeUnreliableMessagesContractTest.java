package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeUnreliableMessagesContractTest extends UnreliableMessagesContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
