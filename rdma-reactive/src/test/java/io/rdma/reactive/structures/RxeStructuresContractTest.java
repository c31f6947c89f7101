package io.rdma.reactive.structures;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeStructuresContractTest extends StructuresContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
