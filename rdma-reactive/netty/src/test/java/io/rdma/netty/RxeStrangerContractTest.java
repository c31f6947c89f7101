package io.rdma.netty;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeStrangerContractTest extends StrangerContract {
    @Override
    String device() {
        return "rxe0";
    }
}
