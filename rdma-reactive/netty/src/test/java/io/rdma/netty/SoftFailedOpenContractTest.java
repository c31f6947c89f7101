package io.rdma.netty;

class SoftFailedOpenContractTest extends FailedOpenContract {
    @Override
    String device() {
        return "soft0";
    }
}
