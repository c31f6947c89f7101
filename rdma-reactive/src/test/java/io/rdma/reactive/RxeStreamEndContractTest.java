package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeStreamEndContractTest extends StreamEndContract {
    @Override
    String device() {
        return "rxe0";
    }

    @Override
    String host() {
        return "10.77.0.1";
    }
}
