package io.rdma.verbs;

class OdpMemoryPlacementContractTest extends MemoryPlacementContract {
    @Override
    String name() {
        return "soft-odp0";
    }
}
