package io.rdma.internal.engine;

class SoftGatherContractTest extends GatherContract {
    @Override
    String device() {
        return "soft0";
    }
}
