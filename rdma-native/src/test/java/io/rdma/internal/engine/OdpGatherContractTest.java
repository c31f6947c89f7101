package io.rdma.internal.engine;

class OdpGatherContractTest extends GatherContract {
    @Override
    String device() {
        return "soft-odp0";
    }

    @Override
    int rnrRetry() {
        return 7;
    }
}
