package io.rdma.reactive;

class SoftManyClientsContractTest extends ManyClientsContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    int clients() {
        return 1000;
    }
}
