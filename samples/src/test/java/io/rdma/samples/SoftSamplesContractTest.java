package io.rdma.samples;

class SoftSamplesContractTest extends SamplesContract {
    @Override
    String device() {
        return "soft0";
    }
}
