package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeConnectContractTest extends ConnectContract {
    @Override
    String device() {
        return "rxe0";
    }
}
