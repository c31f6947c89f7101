package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLoopInvokerContractTest extends LoopInvokerContract {
    @Override
    String device() {
        return "rxe0";
    }
}
