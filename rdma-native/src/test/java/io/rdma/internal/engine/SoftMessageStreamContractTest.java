package io.rdma.internal.engine;

class SoftMessageStreamContractTest extends MessageStreamContract {
    @Override
    String device() {
        return "soft0";
    }
}
