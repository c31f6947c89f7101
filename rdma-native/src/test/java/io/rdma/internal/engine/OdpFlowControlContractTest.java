package io.rdma.internal.engine;

class OdpFlowControlContractTest extends FlowControlContract {
    @Override
    String device() {
        return "soft-odp0";
    }

    @Override
    int rnrRetry() {
        return 7;
    }
}
