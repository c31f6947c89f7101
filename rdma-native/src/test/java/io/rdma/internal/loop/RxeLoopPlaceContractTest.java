package io.rdma.internal.loop;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLoopPlaceContractTest extends LoopPlaceContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
