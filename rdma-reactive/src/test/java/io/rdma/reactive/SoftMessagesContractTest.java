package io.rdma.reactive;

class SoftMessagesContractTest extends MessagesContract {
    @Override
    String device() {
        return "soft0";
    }
}
