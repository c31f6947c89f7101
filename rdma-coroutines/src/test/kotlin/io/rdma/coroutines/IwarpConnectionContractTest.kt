package io.rdma.coroutines

import io.rdma.connect.ConnectMethod

/** Contract of a connection of an iWARP device. */
class IwarpConnectionContractTest : ConnectionContract() {
    override val device = "soft-iwarp0"
    override val connector = ConnectMethod.RDMA_CM
}
