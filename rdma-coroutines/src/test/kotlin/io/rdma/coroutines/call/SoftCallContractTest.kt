package io.rdma.coroutines.call

class SoftCallContractTest : CallContract() {
    override val device = "soft0"
}
