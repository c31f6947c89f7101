package io.rdma.internal.engine;

class SoftLentMessageContractTest extends LentMessageContract {
    @Override
    String device() {
        return "soft0";
    }
}
