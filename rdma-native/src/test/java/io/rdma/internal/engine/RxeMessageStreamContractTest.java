package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMessageStreamContractTest extends MessageStreamContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
