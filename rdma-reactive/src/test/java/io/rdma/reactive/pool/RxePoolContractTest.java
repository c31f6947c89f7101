package io.rdma.reactive.pool;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxePoolContractTest extends PoolContract {
    @Override
    String device() {
        return "rxe0";
    }
}
