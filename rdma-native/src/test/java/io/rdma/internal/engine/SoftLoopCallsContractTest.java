package io.rdma.internal.engine;

class SoftLoopCallsContractTest extends LoopCallsContract {
    @Override
    String device() {
        return "soft0";
    }
}
