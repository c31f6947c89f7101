package io.rdma.coroutines

class SoftLargestMessageContractTest : LargestMessageContract() {
    override val device = "soft0"
}
