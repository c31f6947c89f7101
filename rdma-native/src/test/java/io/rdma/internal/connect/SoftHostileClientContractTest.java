package io.rdma.internal.connect;

class SoftHostileClientContractTest extends HostileClientContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String thirdHost() {
        return "192.0.2.1";
    }
}
