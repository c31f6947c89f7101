package io.rdma.internal.engine;

class SoftLargeMessageContractTest extends LargeMessageContract {
    @Override
    String device() {
        return "soft0";
    }
}
