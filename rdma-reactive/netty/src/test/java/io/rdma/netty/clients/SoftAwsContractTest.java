package io.rdma.netty.clients;

class SoftAwsContractTest extends AwsContract {
    @Override
    String device() {
        return "soft0";
    }
}
