package io.rdma.coroutines

class SoftWiretapContractTest : WiretapContract() {
    override val device = "soft0"
}
