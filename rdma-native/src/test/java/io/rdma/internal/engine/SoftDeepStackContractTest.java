package io.rdma.internal.engine;

class SoftDeepStackContractTest extends DeepStackContract {
    @Override
    String device() {
        return "soft0";
    }
}
