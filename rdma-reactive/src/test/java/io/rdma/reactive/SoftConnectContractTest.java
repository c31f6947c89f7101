package io.rdma.reactive;

class SoftConnectContractTest extends ConnectContract {
    @Override
    String device() {
        return "soft0";
    }
}
