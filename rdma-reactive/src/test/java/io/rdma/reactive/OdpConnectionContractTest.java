package io.rdma.reactive;

class OdpConnectionContractTest extends ConnectionContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
