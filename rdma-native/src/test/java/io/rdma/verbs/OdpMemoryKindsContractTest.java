package io.rdma.verbs;

class OdpMemoryKindsContractTest extends MemoryKindsContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
