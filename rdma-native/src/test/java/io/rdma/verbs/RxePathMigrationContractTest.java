package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.TestDevice;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;

/** rdma_rxe reports the capability, but the kernel refuses an alternate path on RoCE. */
@Tag("rxe")
class RxePathMigrationContractTest extends PathMigrationContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    @Override
    void refusesAlternatePaths(VerbsException refusal) {
        assertThat(refusal.errno()).isEqualTo(Errno.EINVAL);
        Assumptions.abort("an alternate path of RoCE: " + refusal.getMessage());
    }

    @Override
    void losePath() {
        throw new AssertionError("no connection of this device has an alternate path");
    }
}
