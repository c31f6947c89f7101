package io.rdma.internal.connect;

class SoftQueuePairTypeContractTest extends QueuePairTypeContract {
    @Override
    String device() {
        return "soft0";
    }
}
