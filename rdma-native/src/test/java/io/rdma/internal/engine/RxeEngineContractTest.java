package io.rdma.internal.engine;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeEngineContractTest extends EngineContract {
    @Override
    String device() {
        return "rxe0";
    }
}
