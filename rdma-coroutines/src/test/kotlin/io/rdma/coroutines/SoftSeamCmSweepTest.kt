package io.rdma.coroutines

import io.rdma.connect.Connector

/** The same sweep with connections that RDMA CM makes. */
class SoftSeamCmSweepTest : SoftSeamSweepTest() {
    override fun connector(): Connector = Connector.RDMA_CM
}
