package io.rdma.coroutines.pool

class SoftPoolContractTest : PoolContract() {
    override val device = "soft0"
}
