package io.rdma.reactive;

class SoftLargestMessageContractTest extends LargestMessageContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    int length() {
        return GIBIBYTE / 4;
    }
}
