package io.rdma.internal.engine;

class IwarpGatherContractTest extends GatherContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
