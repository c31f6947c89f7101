package io.rdma.internal.engine;

class SoftMemoryContractTest extends MemoryContract {
    @Override
    String device() {
        return "soft0";
    }
}
