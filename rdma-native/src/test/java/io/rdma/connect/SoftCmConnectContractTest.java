package io.rdma.connect;

class SoftCmConnectContractTest extends CmConnectContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }
}
