package io.rdma.verbs;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

/** Linux's rdma_rxe has none: every test is skipped, and says so. */
@Tag("rxe")
class RxeXrcContractTest extends XrcContract {
    @Override
    RdmaDevice device() {
        return TestDevice.assumed("rxe0");
    }
}
