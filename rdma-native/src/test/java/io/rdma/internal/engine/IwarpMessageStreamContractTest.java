package io.rdma.internal.engine;

class IwarpMessageStreamContractTest extends MessageStreamContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
