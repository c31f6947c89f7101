package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeWiretapContractTest extends WiretapContract {
    @Override
    String device() {
        return "rxe0";
    }
}
