package io.rdma.internal.engine;

class OdpMessageStreamContractTest extends MessageStreamContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
