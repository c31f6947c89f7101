package io.rdma.engine;

class SoftMessageStreamContractTest extends MessageStreamContract {
    @Override
    String device() {
        return "soft0";
    }
}
