package io.rdma.coroutines

import io.rdma.connect.ConnectMethod

/** The sweep of [SoftSeamSweepTest] with connections that RDMA CM makes. */
class SoftSeamCmSweepTest : SoftSeamSweepTest() {
    override fun connector(): ConnectMethod = ConnectMethod.RDMA_CM
}
