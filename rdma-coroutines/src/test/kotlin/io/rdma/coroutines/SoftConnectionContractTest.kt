package io.rdma.coroutines

class SoftConnectionContractTest : ConnectionContract() {
    override val device = "soft0"
}
