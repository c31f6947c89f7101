package io.rdma.reactive;

class SoftDatagramContractTest extends DatagramContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }
}
