package io.rdma.reactive.structures;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeLocksContractTest extends LocksContract {
    @Override
    String device() {
        return "rxe0";
    }
}
