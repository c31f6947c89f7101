package io.rdma.internal.connect;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeQueuePairTypeContractTest extends QueuePairTypeContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
