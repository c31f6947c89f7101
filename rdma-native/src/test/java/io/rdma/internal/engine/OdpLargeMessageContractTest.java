package io.rdma.internal.engine;

class OdpLargeMessageContractTest extends LargeMessageContract {
    @Override
    String device() {
        return "soft-odp0";
    }

    @Override
    int rnrRetry() {
        return 7;
    }
}
