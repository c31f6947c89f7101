package io.rdma.reactive.rsocket;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeTransportContractTest extends RdmaTransportContract {
    @Override
    String device() {
        return "rxe0";
    }
}
