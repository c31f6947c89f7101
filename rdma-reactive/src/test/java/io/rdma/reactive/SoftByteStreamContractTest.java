package io.rdma.reactive;

class SoftByteStreamContractTest extends ByteStreamContract {
    @Override
    String device() {
        return "soft0";
    }
}
