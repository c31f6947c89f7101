package io.rdma.coroutines.structures

class SoftStructureDeathContractTest : StructureDeathContract() {
    override val device = "soft0"
}
