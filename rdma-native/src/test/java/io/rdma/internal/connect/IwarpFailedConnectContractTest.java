package io.rdma.internal.connect;

class IwarpFailedConnectContractTest extends FailedConnectContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }
}
