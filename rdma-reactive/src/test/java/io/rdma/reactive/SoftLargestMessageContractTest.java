package io.rdma.reactive;

class SoftLargestMessageContractTest extends LargestMessageContract {
    @Override
    String device() {
        return "soft0";
    }
}
