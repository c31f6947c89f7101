package io.rdma.internal.engine;

class SoftProbeContractTest extends ProbeContract {
    @Override
    String device() {
        return "soft0";
    }
}
