package io.rdma.netty.clients;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLettuceContractTest extends LettuceContract {
    @Override
    String device() {
        return "rxe0";
    }
}
