package io.rdma.netty.reactor;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeHttp2ContractTest extends Http2Contract {
    @Override
    String device() {
        return "rxe0";
    }
}
