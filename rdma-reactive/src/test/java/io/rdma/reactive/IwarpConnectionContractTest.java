package io.rdma.reactive;

/** Contract of a connection of an iWARP device. */
class IwarpConnectionContractTest extends SoftCmConnectionContractTest {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
