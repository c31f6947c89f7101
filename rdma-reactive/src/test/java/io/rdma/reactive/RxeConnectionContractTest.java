package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeConnectionContractTest extends ConnectionContract {
    @Override
    String device() {
        return "rxe0";
    }
}
