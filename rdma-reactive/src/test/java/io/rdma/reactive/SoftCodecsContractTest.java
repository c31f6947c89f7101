package io.rdma.reactive;

class SoftCodecsContractTest extends CodecsContract {
    @Override
    String device() {
        return "soft0";
    }
}
