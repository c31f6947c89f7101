package io.rdma.netty.clients;

class SoftCassandraContractTest extends CassandraContract {
    @Override
    String device() {
        return "soft0";
    }
}
