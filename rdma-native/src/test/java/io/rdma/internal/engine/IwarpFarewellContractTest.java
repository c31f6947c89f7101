package io.rdma.internal.engine;

class IwarpFarewellContractTest extends FarewellContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }
}
