package io.rdma.internal.connect;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeSharedWindowContractTest extends SharedWindowContract {
    @Override
    String device() {
        return "rxe0";
    }
}
