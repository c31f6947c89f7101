package io.rdma.netty;

class SoftBrokenStreamContractTest extends BrokenStreamContract {
    @Override
    String device() {
        return "soft0";
    }
}
