package io.rdma.internal.connect;

class SoftSharedGrowthContractTest extends SharedGrowthContract {
    @Override
    String device() {
        return "soft0";
    }
}
