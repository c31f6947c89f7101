package io.rdma.internal.engine;

class SoftLoopInvokerContractTest extends LoopInvokerContract {
    @Override
    String device() {
        return "soft0";
    }
}
