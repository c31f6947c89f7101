package io.rdma.reactive;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeByteStreamContractTest extends ByteStreamContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
