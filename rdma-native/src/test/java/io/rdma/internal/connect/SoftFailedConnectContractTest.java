package io.rdma.internal.connect;

class SoftFailedConnectContractTest extends FailedConnectContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }
}
