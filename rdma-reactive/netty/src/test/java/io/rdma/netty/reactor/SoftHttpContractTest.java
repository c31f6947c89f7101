package io.rdma.netty.reactor;

class SoftHttpContractTest extends HttpContract {
    @Override
    String device() {
        return "soft0";
    }
}
