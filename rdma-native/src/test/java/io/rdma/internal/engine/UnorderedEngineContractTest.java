package io.rdma.internal.engine;

class UnorderedEngineContractTest extends EngineContract {
    @Override
    String device() {
        return "soft-unordered0";
    }
}
