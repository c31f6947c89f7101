package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMessageStreamContractTest extends MessageStreamContract {
    @Override
    String device() {
        return "rxe0";
    }
}
