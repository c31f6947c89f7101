package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeDeepStackContractTest extends DeepStackContract {
    @Override
    String device() {
        return "rxe0";
    }
}
