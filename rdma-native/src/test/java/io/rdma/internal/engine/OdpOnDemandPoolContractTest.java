package io.rdma.internal.engine;

class OdpOnDemandPoolContractTest extends OnDemandPoolContract {
    @Override
    String device() {
        return "soft-odp0";
    }

    @Override
    long faults() {
        return -1; // each region of this device is paged
    }
}
