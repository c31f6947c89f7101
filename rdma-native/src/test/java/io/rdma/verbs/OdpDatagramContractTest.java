package io.rdma.verbs;

class OdpDatagramContractTest extends DatagramContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
