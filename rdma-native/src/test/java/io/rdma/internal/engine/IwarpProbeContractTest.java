package io.rdma.internal.engine;

class IwarpProbeContractTest extends ProbeContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
