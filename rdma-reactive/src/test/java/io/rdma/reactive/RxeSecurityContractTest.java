package io.rdma.reactive;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeSecurityContractTest extends SecurityContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    /** Returns false: rdma_rxe of Linux 6.1 has the key in the completion, but not the flag. */
    @Override
    boolean tellsInvalidation() {
        return false;
    }
}
