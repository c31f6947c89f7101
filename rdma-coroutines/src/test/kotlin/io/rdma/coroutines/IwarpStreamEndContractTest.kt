package io.rdma.coroutines

class IwarpStreamEndContractTest : StreamEndContract() {
    override val device = "soft-iwarp0"
    override val host = "127.0.0.1"
}
