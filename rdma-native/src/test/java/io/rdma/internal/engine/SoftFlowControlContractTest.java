package io.rdma.internal.engine;

class SoftFlowControlContractTest extends FlowControlContract {
    @Override
    String device() {
        return "soft0";
    }
}
