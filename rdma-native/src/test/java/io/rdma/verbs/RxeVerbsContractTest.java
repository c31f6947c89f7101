package io.rdma.verbs;

import io.rdma.testing.TestDevice;
import io.rdma.types.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeVerbsContractTest extends VerbsContract {
    @Override
    String device() {
        return TestDevice.real();
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

    @Override
    WorkCompletionStatus unregisteredSource() {
        return RxeFailures.atSender(super.unregisteredSource());
    }
}
