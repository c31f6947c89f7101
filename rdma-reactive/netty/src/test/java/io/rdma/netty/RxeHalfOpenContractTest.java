package io.rdma.netty;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeHalfOpenContractTest extends HalfOpenContract {
    @Override
    String device() {
        return "rxe0";
    }
}
