package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeFarewellContractTest extends FarewellContract {
    @Override
    String device() {
        return "rxe0";
    }

    @Override
    String host() {
        return "10.77.0.1";
    }
}
