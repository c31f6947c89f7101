package io.rdma.internal.connect;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeOldPeerContractTest extends OldPeerContract {
    @Override
    String device() {
        return "rxe0";
    }

    @Override
    String host() {
        return "10.77.0.1";
    }
}
