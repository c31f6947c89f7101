package io.rdma.netty.reactor;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeHttpContractTest extends HttpContract {
    @Override
    String device() {
        return "rxe0";
    }
}
