package io.rdma.verbs;

import io.rdma.internal.soft.FaultySoft;
import java.util.Set;

/**
 * Over UDP, where packets are lost, doubled and overtaken: the header of extended reliable connections is on the wire.
 */
class LossyXrcContractTest extends XrcContract {
    @Override
    RdmaDevice device() {
        return DeviceOf.only(FaultySoft.create(0.02, 0.02, 0.02, 5));
    }

    @Override
    Set<WorkCompletionStatus> seenAs(WorkCompletionStatus refusal) {
        return Set.of(refusal, WorkCompletionStatus.RETRY_EXC_ERR);
    }
}
