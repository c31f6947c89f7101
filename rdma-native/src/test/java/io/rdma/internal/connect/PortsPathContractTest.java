package io.rdma.internal.connect;

/** Paths of a device whose first port is down. */
class PortsPathContractTest extends SoftPathContractTest {
    @Override
    String device() {
        return "soft-ports0";
    }
}
