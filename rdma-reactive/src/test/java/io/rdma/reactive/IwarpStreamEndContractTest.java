package io.rdma.reactive;

class IwarpStreamEndContractTest extends SoftStreamEndContractTest {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
