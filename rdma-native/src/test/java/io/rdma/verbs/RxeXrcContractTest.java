package io.rdma.verbs;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

/**
 * Contract of extended reliable connections on Linux's rdma_rxe, which has none: every test is skipped with that
 * reason.
 */
@Tag("rxe")
class RxeXrcContractTest extends XrcContract {
    @Override
    RdmaDevice device() {
        return TestDevice.assumedInfiniBand(TestDevice.real());
    }
}
