package io.rdma.samples.learn;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLearnContractTest extends LearnContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
