package io.rdma.internal.engine;

class SmallGatherContractTest extends GatherContract {
    @Override
    String device() {
        return "soft-small0";
    }
}
