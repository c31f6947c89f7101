package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeProbeContractTest extends ProbeContract {
    @Override
    String device() {
        return "rxe0";
    }
}
