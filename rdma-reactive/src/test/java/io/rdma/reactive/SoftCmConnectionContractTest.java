package io.rdma.reactive;

import io.rdma.connect.Connector;

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
    Connector connector() {
        return Connector.RDMA_CM;
    }
}
