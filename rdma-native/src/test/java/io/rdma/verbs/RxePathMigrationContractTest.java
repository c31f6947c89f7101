package io.rdma.verbs;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

/** rdma_rxe takes alternate paths and states of migration, and gives them back, but never arms a connection. */
@Tag("rxe")
class RxePathMigrationContractTest extends PathMigrationContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    void losePath() {
        throw new AssertionError("no connection of this device is armed");
    }
}
