package io.rdma.coroutines

class SoftUnreliableConnectionContractTest : UnreliableConnectionContract() {
    override val device = "soft0"
}
