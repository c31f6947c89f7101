package io.rdma.netty.clients;

class SoftLettuceContractTest extends LettuceContract {
    @Override
    String device() {
        return "soft0";
    }
}
