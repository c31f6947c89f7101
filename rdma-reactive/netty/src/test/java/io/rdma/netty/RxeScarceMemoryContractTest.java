package io.rdma.netty;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeScarceMemoryContractTest extends ScarceMemoryContract {
    @Override
    String device() {
        return "rxe0";
    }
}
