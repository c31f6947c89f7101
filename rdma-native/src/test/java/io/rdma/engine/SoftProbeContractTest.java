package io.rdma.engine;

class SoftProbeContractTest extends ProbeContract {
    @Override
    String device() {
        return "soft0";
    }
}
