package io.rdma.reactive.rsocket;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeRSocketCloseContractTest extends RSocketCloseContract {
    @Override
    String device() {
        return "rxe0";
    }
}
