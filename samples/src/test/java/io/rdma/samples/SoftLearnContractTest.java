package io.rdma.samples;

class SoftLearnContractTest extends LearnContract {
    @Override
    String device() {
        return "soft0";
    }
}
