package io.rdma.netty.reactor;

class SoftDatagramContractTest extends DatagramContract {
    @Override
    String device() {
        return "soft0";
    }
}
