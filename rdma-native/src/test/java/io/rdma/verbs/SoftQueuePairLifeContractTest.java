package io.rdma.verbs;

class SoftQueuePairLifeContractTest extends QueuePairLifeContract {
    @Override
    String device() {
        return "soft0";
    }
}
