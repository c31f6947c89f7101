package io.rdma.netty;

class SoftHalfOpenContractTest extends HalfOpenContract {
    @Override
    String device() {
        return "soft0";
    }
}
