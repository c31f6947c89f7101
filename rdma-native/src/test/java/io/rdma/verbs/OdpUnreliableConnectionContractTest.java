package io.rdma.verbs;

class OdpUnreliableConnectionContractTest extends UnreliableConnectionContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
