package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLargeMessageContractTest extends LargeMessageContract {
    @Override
    String device() {
        return "rxe0";
    }
}
