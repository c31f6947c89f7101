package io.rdma.reactive.rsocket;

class SoftRSocketCloseContractTest extends RSocketCloseContract {
    @Override
    String device() {
        return "soft0";
    }
}
