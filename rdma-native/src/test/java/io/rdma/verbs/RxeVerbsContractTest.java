package io.rdma.verbs;

import io.rdma.testing.Kernel;
import io.rdma.types.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeVerbsContractTest extends VerbsContract {
    @Override
    String device() {
        return "rxe0";
    }

    /**
     * Linux 6.1's rdma_rxe treats such a message as a malformed receive and answers with a remote operational error.
     */
    @Override
    WorkCompletionStatus tooLargeAtSender() {
        return WorkCompletionStatus.REM_OP_ERR;
    }

    @Override
    WorkCompletionStatus tooLargeAtReceiver() {
        return WorkCompletionStatus.LOC_QP_OP_ERR;
    }

    /** The rdma_rxe of Linux 6.12 flushes a request that fails at its own end, as those behind it. */
    @Override
    WorkCompletionStatus unregisteredSource() {
        return Kernel.isNewerThan(6, 1) ? WorkCompletionStatus.WR_FLUSH_ERR : super.unregisteredSource();
    }
}
