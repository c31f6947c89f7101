package io.rdma.internal.engine;

class SoftUnclaimedContractTest extends UnclaimedContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }
}
