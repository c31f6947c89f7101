package io.rdma.coroutines

class SoftGatherContractTest : GatherContract() {
    override val device = "soft0"
}
