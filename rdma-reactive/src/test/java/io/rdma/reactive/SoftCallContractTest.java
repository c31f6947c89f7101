package io.rdma.reactive;

class SoftCallContractTest extends CallContract {
    @Override
    String device() {
        return "soft0";
    }
}
