package io.rdma.reactive.pool;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxePoolServersContractTest extends PoolServersContract {
    @Override
    String device() {
        return "rxe0";
    }
}
