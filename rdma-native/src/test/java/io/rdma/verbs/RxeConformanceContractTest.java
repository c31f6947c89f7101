package io.rdma.verbs;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeConformanceContractTest extends ConformanceContract {
    @Override
    String device() {
        return "rxe0";
    }
}
