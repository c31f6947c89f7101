package io.rdma.netty.reactor;

class SoftHttpEndContractTest extends HttpEndContract {
    @Override
    String device() {
        return "soft0";
    }
}
