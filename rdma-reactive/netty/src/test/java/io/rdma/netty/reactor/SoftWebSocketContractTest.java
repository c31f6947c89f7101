package io.rdma.netty.reactor;

class SoftWebSocketContractTest extends WebSocketContract {
    @Override
    String device() {
        return "soft0";
    }
}
