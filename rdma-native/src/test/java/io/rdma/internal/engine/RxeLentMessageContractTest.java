package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLentMessageContractTest extends LentMessageContract {
    @Override
    String device() {
        return "rxe0";
    }
}
