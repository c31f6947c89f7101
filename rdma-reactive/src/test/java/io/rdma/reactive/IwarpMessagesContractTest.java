package io.rdma.reactive;

class IwarpMessagesContractTest extends MessagesContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
