package io.rdma.reactive;

class SoftStreamEndContractTest extends StreamEndContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }
}
