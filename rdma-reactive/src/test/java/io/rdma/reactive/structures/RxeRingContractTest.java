package io.rdma.reactive.structures;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeRingContractTest extends RingContract {
    @Override
    String device() {
        return "rxe0";
    }
}
