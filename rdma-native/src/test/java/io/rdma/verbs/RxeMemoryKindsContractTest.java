package io.rdma.verbs;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMemoryKindsContractTest extends MemoryKindsContract {
    @Override
    String device() {
        return "rxe0";
    }
}
