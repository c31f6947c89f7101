package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeSharedReceivesContractTest extends SharedReceivesContract {
    @Override
    String device() {
        return "rxe0";
    }
}
