package io.rdma.coroutines

import io.rdma.connect.ConnectMethod

/** The same promises over connections that the connection manager makes. */
class SoftCmConnectionContractTest : ConnectionContract() {
    override val device = "soft0"
    override val connector = ConnectMethod.RDMA_CM
}
