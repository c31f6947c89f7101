package io.rdma.reactive;

class OdpMessagesContractTest extends MessagesContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
