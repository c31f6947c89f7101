package io.rdma.internal.connect;

import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.OnDemandMemory;
import io.rdma.types.VerbsException;
import io.rdma.verbs.QueuePairType;

/** Check of memory that is paged on demand for queue pairs which resources may lack, although they are open. */
final class OnDemandWish {
    private OnDemandWish() {}

    /**
     * Refuses a type of queue pair other than RC, before anything is made.
     *
     * @throws RdmaConnectException DEVICE if the resources page memory on demand, and the device cannot for that type
     */
    static void requirePossible(DeviceResources resources, QueuePairType type) {
        if (!resources.domain().policy().onDemand()) {
            return;
        }
        try {
            OnDemandMemory.require(resources.context(), type);
        } catch (VerbsException e) {
            throw new RdmaConnectException(Reason.DEVICE, String.valueOf(e.getMessage()), e);
        }
    }
}
