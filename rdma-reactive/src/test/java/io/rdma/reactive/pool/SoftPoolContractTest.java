package io.rdma.reactive.pool;

class SoftPoolContractTest extends PoolContract {
    @Override
    String device() {
        return "soft0";
    }
}
