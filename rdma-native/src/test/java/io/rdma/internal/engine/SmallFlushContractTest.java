package io.rdma.internal.engine;

class SmallFlushContractTest extends FlushContract {
    @Override
    String device() {
        return "soft-small0";
    }
}
