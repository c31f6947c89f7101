package io.rdma.internal.engine;

class IwarpFlushContractTest extends FlushContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
