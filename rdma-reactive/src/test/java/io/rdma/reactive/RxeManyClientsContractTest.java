package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeManyClientsContractTest extends ManyClientsContract {
    @Override
    String device() {
        return "rxe0";
    }

    @Override
    int clients() {
        return 100;
    }
}
