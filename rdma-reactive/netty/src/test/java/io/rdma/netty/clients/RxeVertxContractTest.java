package io.rdma.netty.clients;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeVertxContractTest extends VertxContract {
    @Override
    String device() {
        return "rxe0";
    }
}
