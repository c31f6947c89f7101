package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeSecurityContractTest extends SecurityContract {
    @Override
    String device() {
        return "rxe0";
    }
}
