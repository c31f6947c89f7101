package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMessageBatchContractTest extends MessageBatchContract {
    @Override
    String device() {
        return "rxe0";
    }
}
