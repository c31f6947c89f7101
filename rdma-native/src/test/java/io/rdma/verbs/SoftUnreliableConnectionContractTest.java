package io.rdma.verbs;

class SoftUnreliableConnectionContractTest extends UnreliableConnectionContract {
    @Override
    String device() {
        return "soft0";
    }
}
