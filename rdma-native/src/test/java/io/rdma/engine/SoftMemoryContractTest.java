package io.rdma.engine;

class SoftMemoryContractTest extends MemoryContract {
    @Override
    String device() {
        return "soft0";
    }
}
