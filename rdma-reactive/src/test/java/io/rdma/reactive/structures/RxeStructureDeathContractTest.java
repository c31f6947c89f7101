package io.rdma.reactive.structures;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeStructureDeathContractTest extends StructureDeathContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
