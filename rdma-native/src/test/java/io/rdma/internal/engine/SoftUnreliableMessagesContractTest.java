package io.rdma.internal.engine;

class SoftUnreliableMessagesContractTest extends UnreliableMessagesContract {
    @Override
    String device() {
        return "soft0";
    }
}
