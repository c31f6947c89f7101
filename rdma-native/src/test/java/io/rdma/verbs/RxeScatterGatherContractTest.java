package io.rdma.verbs;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeScatterGatherContractTest extends ScatterGatherContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
