package io.rdma.reactive.databuffer;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeDataBuffersContractTest extends DataBuffersContract {
    @Override
    String device() {
        return "rxe0";
    }
}
