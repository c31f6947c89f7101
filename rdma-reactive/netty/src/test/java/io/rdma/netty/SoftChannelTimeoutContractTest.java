package io.rdma.netty;

class SoftChannelTimeoutContractTest extends ChannelTimeoutContract {
    @Override
    String device() {
        return "soft0";
    }
}
