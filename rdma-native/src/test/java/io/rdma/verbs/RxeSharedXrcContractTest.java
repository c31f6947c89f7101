package io.rdma.verbs;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

/** Contract of XRC domains that belong to a file on Linux's rdma_rxe, which has none: every test is skipped. */
@Tag("rxe")
class RxeSharedXrcContractTest extends SharedXrcContract {
    @Override
    RdmaDevice device() {
        return TestDevice.assumedInfiniBand(TestDevice.real());
    }
}
