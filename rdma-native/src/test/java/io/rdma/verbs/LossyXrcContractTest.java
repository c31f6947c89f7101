package io.rdma.verbs;

import io.rdma.internal.soft.FaultySoft;
import io.rdma.types.WorkCompletionStatus;
import java.util.Set;

/**
 * Contract of extended reliable connections over UDP, where packets are lost, repeated and swapped. Their header is on
 * the wire.
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
