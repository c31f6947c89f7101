package io.rdma.verbs;

class SmallScatterGatherContractTest extends ScatterGatherContract {
    @Override
    String device() {
        return "soft-small0";
    }
}
