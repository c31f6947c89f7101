package io.rdma.reactive;

import io.rdma.connect.Connector;

/** The same sweep with connections that RDMA CM makes. */
class SoftSeamCmSweepTest extends SoftSeamSweepTest {
    @Override
    protected Connector connector() {
        return Connector.RDMA_CM;
    }
}
