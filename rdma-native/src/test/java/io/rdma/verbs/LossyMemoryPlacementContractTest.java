package io.rdma.verbs;

import io.rdma.internal.soft.FaultySoft;

/** Contract over UDP, where packets are lost, repeated and swapped. Their headers are on the wire. */
class LossyMemoryPlacementContractTest extends MemoryPlacementContract {
    private final RdmaDevice device = DeviceOf.only(FaultySoft.create(0.02, 0.02, 0.02, 5));

    @Override
    String name() {
        return device.name();
    }

    @Override
    RdmaDevice device() {
        return device;
    }
}
