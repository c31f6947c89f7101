package io.rdma.verbs;

import io.rdma.testing.Kernel;
import io.rdma.testing.TestDevice;
import io.rdma.types.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeSharedReceiveQueueContractTest extends SharedReceiveQueueContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    /**
     * The responder of Linux 6.1's rdma_rxe leaves the shared queue alone in ERR, but raises no event anywhere; later
     * kernels do.
     */
    @Override
    boolean tellsLastWqe() {
        return Kernel.isNewerThan(6, 1);
    }

    /**
     * Linux 6.1's rdma_rxe answers a refused request and fails the queue pair without an event. It raises events of
     * queues only.
     */
    @Override
    boolean tellsRefusedRequests() {
        return false;
    }

    /** Linux 6.1's rdma_rxe treats each failure to copy as a malformed receive. */
    @Override
    WorkCompletionStatus tooLargeAtReceiver() {
        return WorkCompletionStatus.LOC_QP_OP_ERR;
    }

    @Override
    WorkCompletionStatus foreignMemory() {
        return WorkCompletionStatus.LOC_QP_OP_ERR;
    }
}
