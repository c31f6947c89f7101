package io.rdma.verbs;

import io.rdma.testing.Kernel;
import io.rdma.types.QueuePairState;
import io.rdma.types.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeUnreliableConnectionContractTest extends UnreliableConnectionContract {
    @Override
    String device() {
        return "rxe0";
    }

    /** Linux 6.1's rdma_rxe does not know SQE. */
    @Override
    QueuePairState afterSendError() {
        return QueuePairState.ERR;
    }

    /** The rdma_rxe of Linux 6.12 flushes a request that fails at its own end, as those behind it. */
    @Override
    WorkCompletionStatus unregisteredSource() {
        return Kernel.isNewerThan(6, 1) ? WorkCompletionStatus.WR_FLUSH_ERR : super.unregisteredSource();
    }
}
