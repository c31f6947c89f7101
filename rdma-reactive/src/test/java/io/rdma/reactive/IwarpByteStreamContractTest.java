package io.rdma.reactive;

class IwarpByteStreamContractTest extends ByteStreamContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
