package io.rdma.internal.engine;

class SoftLargestMessageContractTest extends LargestMessageContract {
    @Override
    String device() {
        return "soft0";
    }
}
