package io.rdma.coroutines

import io.rdma.connect.ConnectMethod

/** Contract of a connection that RDMA CM makes. */
class SoftCmConnectionContractTest : ConnectionContract() {
    override val device = "soft0"
    override val connector = ConnectMethod.RDMA_CM
}
