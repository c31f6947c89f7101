package io.rdma.reactive;

class PortsConnectContractTest extends ConnectContract {
    @Override
    String device() {
        return "soft-ports0";
    }
}
