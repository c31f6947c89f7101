package io.rdma.internal.engine;

class SmallFlowControlContractTest extends FlowControlContract {
    @Override
    String device() {
        return "soft-small0";
    }
}
