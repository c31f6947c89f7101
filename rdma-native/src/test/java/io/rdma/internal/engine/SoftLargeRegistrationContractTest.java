package io.rdma.internal.engine;

class SoftLargeRegistrationContractTest extends LargeRegistrationContract {
    @Override
    String device() {
        return "soft0";
    }
}
