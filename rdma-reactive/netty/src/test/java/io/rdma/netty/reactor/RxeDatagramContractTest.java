package io.rdma.netty.reactor;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeDatagramContractTest extends DatagramContract {
    @Override
    String device() {
        return "rxe0";
    }
}
