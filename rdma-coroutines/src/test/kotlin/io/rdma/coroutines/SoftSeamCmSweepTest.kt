package io.rdma.coroutines

import io.rdma.connect.ConnectMethod

/** The same sweep with connections that RDMA CM makes. */
class SoftSeamCmSweepTest : SoftSeamSweepTest() {
    override fun connector(): ConnectMethod = ConnectMethod.RDMA_CM
}
