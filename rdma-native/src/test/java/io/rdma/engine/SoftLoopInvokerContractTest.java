package io.rdma.engine;

class SoftLoopInvokerContractTest extends LoopInvokerContract {
    @Override
    String device() {
        return "soft0";
    }
}
