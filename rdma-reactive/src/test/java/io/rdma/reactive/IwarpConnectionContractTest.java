package io.rdma.reactive;

import io.rdma.connect.ConnectMethod;

/** Contract of a connection of an iWARP device. */
class IwarpConnectionContractTest extends ConnectionContract {
    @Override
    String device() {
        return "soft-iwarp0";
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
