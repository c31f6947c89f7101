package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLoopCallsContractTest extends LoopCallsContract {
    @Override
    String device() {
        return "rxe0";
    }
}
