package io.rdma.internal.connect;

class IwarpFailedConnectContractTest extends FailedConnectContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
