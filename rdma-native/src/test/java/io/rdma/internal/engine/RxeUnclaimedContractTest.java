package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeUnclaimedContractTest extends UnclaimedContract {
    @Override
    String device() {
        return "rxe0";
    }

    @Override
    String host() {
        return "10.77.0.1";
    }
}
