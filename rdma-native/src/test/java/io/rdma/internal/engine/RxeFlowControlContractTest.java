package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeFlowControlContractTest extends FlowControlContract {
    @Override
    String device() {
        return "rxe0";
    }
}
