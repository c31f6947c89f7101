package io.rdma.coroutines

class SoftByteStreamContractTest : ByteStreamContract() {
    override val device = "soft0"
}
