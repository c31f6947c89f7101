package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeCallContractTest extends CallContract {
    @Override
    String device() {
        return "rxe0";
    }
}
