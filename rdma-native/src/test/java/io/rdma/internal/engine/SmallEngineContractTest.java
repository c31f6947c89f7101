package io.rdma.internal.engine;

class SmallEngineContractTest extends EngineContract {
    @Override
    String device() {
        return "soft-small0";
    }
}
