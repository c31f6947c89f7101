package io.rdma.coroutines

class PortsConnectContractTest : ConnectContract() {
    override val device = "soft-ports0"
}
