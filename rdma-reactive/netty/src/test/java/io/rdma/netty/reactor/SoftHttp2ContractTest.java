package io.rdma.netty.reactor;

class SoftHttp2ContractTest extends Http2Contract {
    @Override
    String device() {
        return "soft0";
    }
}
