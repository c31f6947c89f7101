package io.rdma.verbs;

class OdpScatterGatherContractTest extends ScatterGatherContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
