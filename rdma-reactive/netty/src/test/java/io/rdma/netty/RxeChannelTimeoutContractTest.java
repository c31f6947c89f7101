package io.rdma.netty;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeChannelTimeoutContractTest extends ChannelTimeoutContract {
    @Override
    String device() {
        return "rxe0";
    }
}
