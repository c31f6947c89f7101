package io.rdma.reactive;

class SmallConnectionContractTest extends ConnectionContract {
    @Override
    String device() {
        return "soft-small0";
    }
}
