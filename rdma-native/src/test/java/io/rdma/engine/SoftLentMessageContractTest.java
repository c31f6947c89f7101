package io.rdma.engine;

class SoftLentMessageContractTest extends LentMessageContract {
    @Override
    String device() {
        return "soft0";
    }
}
