package io.rdma.reactive;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeManyClientsContractTest extends ManyClientsContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    int clients() {
        return 100;
    }
}
