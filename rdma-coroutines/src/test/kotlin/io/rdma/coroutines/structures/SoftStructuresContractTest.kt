package io.rdma.coroutines.structures

class SoftStructuresContractTest : StructuresContract() {
    override val device = "soft0"
}
