package io.rdma.coroutines

class SoftMessagesContractTest : MessagesContract() {
    override val device = "soft0"
}
