package io.rdma.netty.reactor;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeWebSocketContractTest extends WebSocketContract {
    @Override
    String device() {
        return "rxe0";
    }
}
