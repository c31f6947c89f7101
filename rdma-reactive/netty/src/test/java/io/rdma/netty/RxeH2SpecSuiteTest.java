package io.rdma.netty;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeH2SpecSuiteTest extends H2SpecSuite {
    @Override
    String device() {
        return TestDevice.real();
    }
}
