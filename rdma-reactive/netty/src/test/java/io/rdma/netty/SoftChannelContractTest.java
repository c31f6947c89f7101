package io.rdma.netty;

class SoftChannelContractTest extends ChannelContract {
    @Override
    String device() {
        return "soft0";
    }
}
