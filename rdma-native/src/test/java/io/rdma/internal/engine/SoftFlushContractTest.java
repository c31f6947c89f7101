package io.rdma.internal.engine;

class SoftFlushContractTest extends FlushContract {
    @Override
    String device() {
        return "soft0";
    }
}
