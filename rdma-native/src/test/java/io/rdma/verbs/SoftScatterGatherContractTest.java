package io.rdma.verbs;

class SoftScatterGatherContractTest extends ScatterGatherContract {
    @Override
    String device() {
        return "soft0";
    }
}
