package io.rdma.netty;

class SoftChannelOptionContractTest extends ChannelOptionContract {
    @Override
    String device() {
        return "soft0";
    }
}
