package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeSharedResourcesContractTest extends SharedResourcesContract {
    @Override
    String device() {
        return "rxe0";
    }
}
