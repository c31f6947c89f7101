package io.rdma.coroutines

class SmallConnectionContractTest : ConnectionContract() {
    override val device = "soft-small0"
}
