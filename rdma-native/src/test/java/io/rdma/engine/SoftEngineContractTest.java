package io.rdma.engine;

class SoftEngineContractTest extends EngineContract {
    @Override
    String device() {
        return "soft0";
    }
}
