package io.rdma.reactive.pool;

class SoftPoolServersContractTest extends PoolServersContract {
    @Override
    String device() {
        return "soft0";
    }
}
