package io.rdma.verbs;

class SoftMemoryWindowContractTest extends MemoryWindowContract {
    @Override
    String device() {
        return "soft0";
    }
}
