package io.rdma.coroutines

class SoftDatagramContractTest : DatagramContract() {
    override val device = "soft0"
    override val host = "127.0.0.1"
}
