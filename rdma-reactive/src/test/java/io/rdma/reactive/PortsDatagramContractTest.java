package io.rdma.reactive;

class PortsDatagramContractTest extends DatagramContract {
    @Override
    String device() {
        return "soft-ports0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }
}
