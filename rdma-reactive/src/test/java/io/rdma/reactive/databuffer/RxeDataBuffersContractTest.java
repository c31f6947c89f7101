package io.rdma.reactive.databuffer;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeDataBuffersContractTest extends DataBuffersContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
