package io.rdma.internal.engine;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeGatherContractTest extends GatherContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
