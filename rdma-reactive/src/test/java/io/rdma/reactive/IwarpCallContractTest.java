package io.rdma.reactive;

class IwarpCallContractTest extends CallContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
