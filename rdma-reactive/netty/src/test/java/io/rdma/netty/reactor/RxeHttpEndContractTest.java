package io.rdma.netty.reactor;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeHttpEndContractTest extends HttpEndContract {
    @Override
    String device() {
        return "rxe0";
    }
}
