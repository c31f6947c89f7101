package io.rdma.netty;

class SoftStrangerContractTest extends StrangerContract {
    @Override
    String device() {
        return "soft0";
    }
}
