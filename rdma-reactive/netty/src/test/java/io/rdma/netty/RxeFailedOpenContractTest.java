package io.rdma.netty;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeFailedOpenContractTest extends FailedOpenContract {
    @Override
    String device() {
        return "rxe0";
    }
}
