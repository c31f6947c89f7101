package io.rdma.internal.engine;

class OdpMessageBatchContractTest extends MessageBatchContract {
    @Override
    String device() {
        return "soft-odp0";
    }

    @Override
    int rnrRetry() {
        return 7;
    }
}
