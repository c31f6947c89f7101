package io.rdma.internal.engine;

class SoftLargeGatherContractTest extends LargeGatherContract {
    @Override
    String device() {
        return "soft0";
    }
}
