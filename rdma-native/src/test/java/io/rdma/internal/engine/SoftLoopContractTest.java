package io.rdma.internal.engine;

class SoftLoopContractTest extends LoopContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    int manyConnections() {
        return 1000;
    }
}
