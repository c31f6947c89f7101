package io.rdma.verbs;

class OdpOnDemandContractTest extends OnDemandContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
