package io.rdma.internal.connect;

class SoftPathContractTest extends PathContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }
}
