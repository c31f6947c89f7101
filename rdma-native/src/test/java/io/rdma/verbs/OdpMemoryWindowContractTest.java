package io.rdma.verbs;

class OdpMemoryWindowContractTest extends MemoryWindowContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
