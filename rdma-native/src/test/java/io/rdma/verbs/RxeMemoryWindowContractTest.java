package io.rdma.verbs;

import io.rdma.testing.Kernel;
import io.rdma.types.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeMemoryWindowContractTest extends MemoryWindowContract {
    @Override
    String device() {
        return "rxe0";
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

    /**
     * The rdma_rxe of Linux 6.1 distinguishes a bad binding from a bad invalidation. That of Linux 6.12 flushes a
     * request that fails at its own end, as those behind it.
     */
    @Override
    WorkCompletionStatus badLocalInvalidation() {
        return Kernel.isNewerThan(6, 1) ? WorkCompletionStatus.WR_FLUSH_ERR : WorkCompletionStatus.LOC_QP_OP_ERR;
    }

    @Override
    WorkCompletionStatus badBinding() {
        return Kernel.isNewerThan(6, 1) ? WorkCompletionStatus.WR_FLUSH_ERR : super.badBinding();
    }
}
