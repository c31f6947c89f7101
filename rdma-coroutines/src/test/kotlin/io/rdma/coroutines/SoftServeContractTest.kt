package io.rdma.coroutines

class SoftServeContractTest : ServeContract() {
    override val device = "soft0"
}
