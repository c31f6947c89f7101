package io.rdma.internal.engine;

class IwarpEngineContractTest extends EngineContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
