package io.rdma.reactive;

class IwarpStreamEndContractTest extends StreamEndContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }
}
