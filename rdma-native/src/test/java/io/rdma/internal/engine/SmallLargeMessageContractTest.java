package io.rdma.internal.engine;

class SmallLargeMessageContractTest extends LargeMessageContract {
    @Override
    String device() {
        return "soft-small0";
    }
}
