package io.rdma.verbs;

class SoftMemoryKindsContractTest extends MemoryKindsContract {
    @Override
    String device() {
        return "soft0";
    }
}
