package io.rdma.netty;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeBrokenStreamContractTest extends BrokenStreamContract {
    @Override
    String device() {
        return "rxe0";
    }
}
