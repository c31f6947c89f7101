package io.rdma.verbs;

class OdpSharedReceiveQueueContractTest extends SharedReceiveQueueContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
