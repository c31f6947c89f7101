package io.rdma.internal.engine;

class IwarpLargeMessageContractTest extends LargeMessageContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
