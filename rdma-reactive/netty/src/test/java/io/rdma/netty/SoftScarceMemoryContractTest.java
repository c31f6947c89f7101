package io.rdma.netty;

class SoftScarceMemoryContractTest extends ScarceMemoryContract {
    @Override
    String device() {
        return "soft0";
    }
}
