package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeCodecsContractTest extends CodecsContract {
    @Override
    String device() {
        return "rxe0";
    }
}
