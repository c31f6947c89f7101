package io.rdma.verbs;

import io.rdma.testing.TestDevice;
import io.rdma.types.QueuePairState;
import io.rdma.types.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeUnreliableConnectionContractTest extends UnreliableConnectionContract {
    @Override
    String device() {
        return TestDevice.real();
    }

    /** Linux 6.1's rdma_rxe does not know SQE. */
    @Override
    QueuePairState afterSendError() {
        return QueuePairState.ERR;
    }

    @Override
    WorkCompletionStatus unregisteredSource() {
        return RxeFailures.atSender(super.unregisteredSource());
    }
}
