package io.rdma.verbs;

import io.rdma.testing.Kernel;
import io.rdma.types.WorkCompletionStatus;

/** Failures as Linux's rdma_rxe reports them. It depends on the kernel. */
final class RxeFailures {
    private RxeFailures() {}

    /**
     * Returns the status of a request that fails at its own end. The rdma_rxe of Linux 6.12 flushes it, as those behind
     * it.
     *
     * @param before status on Linux 6.1
     */
    static WorkCompletionStatus atSender(WorkCompletionStatus before) {
        return Kernel.isNewerThan(6, 1) ? WorkCompletionStatus.WR_FLUSH_ERR : before;
    }
}
