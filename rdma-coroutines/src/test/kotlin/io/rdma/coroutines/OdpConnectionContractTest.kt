package io.rdma.coroutines

class OdpConnectionContractTest : ConnectionContract() {
    override val device = "soft-odp0"
}
