package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLentMessageContractTest extends LentMessageContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
