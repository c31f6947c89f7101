package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeHooksContractTest extends HooksContract {
    @Override
    String device() {
        return "rxe0";
    }
}
