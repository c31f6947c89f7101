package io.rdma.netty;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeChannelContractTest extends ChannelContract {
    @Override
    String device() {
        return "rxe0";
    }
}
