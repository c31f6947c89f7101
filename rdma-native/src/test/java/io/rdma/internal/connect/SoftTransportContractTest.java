package io.rdma.internal.connect;

class SoftTransportContractTest extends TransportContract {
    @Override
    String device() {
        return "soft0";
    }
}
