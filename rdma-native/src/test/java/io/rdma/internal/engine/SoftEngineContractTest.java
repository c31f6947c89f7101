package io.rdma.internal.engine;

class SoftEngineContractTest extends EngineContract {
    @Override
    String device() {
        return "soft0";
    }
}
