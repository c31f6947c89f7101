package io.rdma.verbs;

class SoftMemoryPlacementContractTest extends MemoryPlacementContract {
    @Override
    String name() {
        return "soft0";
    }
}
