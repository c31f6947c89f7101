package io.rdma.verbs;

import io.rdma.testing.TestDevice;
import io.rdma.types.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMemoryWindowContractTest extends MemoryWindowContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    /** Linux's rdma_rxe checks key, rights and domain of a window, but checks the range only against the region. */
    @Override
    boolean bounds() {
        return false;
    }

    /** Linux's rdma_rxe sets the kernel's flag, 1 << 2, which has another meaning in libibverbs. The key is there. */
    @Override
    boolean tellsInvalidation() {
        return false;
    }

    /** The rdma_rxe of Linux 6.1 distinguishes a bad binding from a bad invalidation. */
    @Override
    WorkCompletionStatus badLocalInvalidation() {
        return RxeFailures.atSender(WorkCompletionStatus.LOC_QP_OP_ERR);
    }

    @Override
    WorkCompletionStatus badBinding() {
        return RxeFailures.atSender(super.badBinding());
    }
}
