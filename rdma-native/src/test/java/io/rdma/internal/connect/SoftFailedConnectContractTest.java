package io.rdma.internal.connect;

class SoftFailedConnectContractTest extends FailedConnectContract {
    @Override
    String device() {
        return "soft0";
    }
}
