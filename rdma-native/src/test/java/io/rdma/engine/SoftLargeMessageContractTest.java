package io.rdma.engine;

class SoftLargeMessageContractTest extends LargeMessageContract {
    @Override
    String device() {
        return "soft0";
    }
}
