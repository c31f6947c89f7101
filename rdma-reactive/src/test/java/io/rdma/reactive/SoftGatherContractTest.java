package io.rdma.reactive;

class SoftGatherContractTest extends GatherContract {
    @Override
    String device() {
        return "soft0";
    }
}
