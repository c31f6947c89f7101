package io.rdma.coroutines

class SoftStreamEndContractTest : StreamEndContract() {
    override val device = "soft0"
    override val host = "127.0.0.1"
}
