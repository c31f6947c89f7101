package io.rdma.reactive;

import io.rdma.connect.ConnectMethod;

/** The same promises over connections that the connection manager makes. */
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
