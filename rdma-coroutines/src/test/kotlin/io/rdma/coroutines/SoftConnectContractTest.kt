package io.rdma.coroutines

class SoftConnectContractTest : ConnectContract() {
    override val device = "soft0"
}
