package io.rdma.reactive;

import io.rdma.connect.ConnectMethod;

/** Contract of a connection that RDMA CM makes. */
class SoftCmConnectionContractTest extends ConnectionContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }

    @Override
    ConnectMethod connector() {
        return ConnectMethod.RDMA_CM;
    }
}
