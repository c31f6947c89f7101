package io.rdma.netty.clients;

class SoftVertxContractTest extends VertxContract {
    @Override
    String device() {
        return "soft0";
    }
}
