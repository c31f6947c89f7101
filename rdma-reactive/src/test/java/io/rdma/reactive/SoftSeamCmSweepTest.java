package io.rdma.reactive;

import io.rdma.connect.ConnectMethod;

/** The sweep of {@link SoftSeamSweepTest} with connections that RDMA CM makes. */
class SoftSeamCmSweepTest extends SoftSeamSweepTest {
    @Override
    protected ConnectMethod connector() {
        return ConnectMethod.RDMA_CM;
    }
}
