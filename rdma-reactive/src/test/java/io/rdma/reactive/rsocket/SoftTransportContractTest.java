package io.rdma.reactive.rsocket;

class SoftTransportContractTest extends RdmaTransportContract {
    @Override
    String device() {
        return "soft0";
    }
}
