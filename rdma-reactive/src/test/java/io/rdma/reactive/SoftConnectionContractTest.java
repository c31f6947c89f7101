package io.rdma.reactive;

class SoftConnectionContractTest extends ConnectionContract {
    @Override
    String device() {
        return "soft0";
    }
}
