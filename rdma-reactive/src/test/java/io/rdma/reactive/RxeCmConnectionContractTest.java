package io.rdma.reactive;

import io.rdma.connect.ConnectMethod;
import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

/** Contract of a connection that RDMA CM makes. */
@Tag("rxe")
class RxeCmConnectionContractTest extends ConnectionContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    String host() {
        return "10.77.0.1";
    }

    @Override
    ConnectMethod connector() {
        return ConnectMethod.RDMA_CM;
    }
}
