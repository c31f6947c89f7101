package io.rdma.coroutines

class SoftLargeItemContractTest : LargeItemContract() {
    override val device = "soft0"
}
