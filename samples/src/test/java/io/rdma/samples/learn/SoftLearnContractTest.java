package io.rdma.samples.learn;

class SoftLearnContractTest extends LearnContract {
    @Override
    String device() {
        return "soft0";
    }
}
