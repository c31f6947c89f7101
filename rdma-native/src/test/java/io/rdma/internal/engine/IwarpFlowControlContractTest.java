package io.rdma.internal.engine;

class IwarpFlowControlContractTest extends FlowControlContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
