package io.rdma.netty;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeChannelOptionContractTest extends ChannelOptionContract {
    @Override
    String device() {
        return "rxe0";
    }
}
