package io.rdma.internal.engine;

class OdpEngineContractTest extends EngineContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
