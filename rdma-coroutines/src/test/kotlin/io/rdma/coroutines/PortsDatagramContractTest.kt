package io.rdma.coroutines

class PortsDatagramContractTest : DatagramContract() {
    override val device = "soft-ports0"
    override val host = "127.0.0.1"
}
