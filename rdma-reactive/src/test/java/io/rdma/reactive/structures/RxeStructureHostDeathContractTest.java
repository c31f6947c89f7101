package io.rdma.reactive.structures;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeStructureHostDeathContractTest extends StructureHostDeathContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
