package io.rdma.internal.engine;

class SoftMessageBatchContractTest extends MessageBatchContract {
    @Override
    String device() {
        return "soft0";
    }
}
