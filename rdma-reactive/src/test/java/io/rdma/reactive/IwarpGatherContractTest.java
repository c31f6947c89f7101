package io.rdma.reactive;

class IwarpGatherContractTest extends GatherContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
