package io.rdma.verbs;

class SoftSharedReceiveQueueContractTest extends SharedReceiveQueueContract {
    @Override
    String device() {
        return "soft0";
    }
}
