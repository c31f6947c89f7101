package io.rdma.engine;

class SoftFlowControlContractTest extends FlowControlContract {
    @Override
    String device() {
        return "soft0";
    }
}
