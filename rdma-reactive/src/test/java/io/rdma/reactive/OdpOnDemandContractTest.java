package io.rdma.reactive;

class OdpOnDemandContractTest extends OnDemandContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
