package io.rdma.netty;

class SoftWriteListenersTest extends WriteListeners {
    @Override
    String device() {
        return "soft0";
    }
}
