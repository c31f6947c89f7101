package io.rdma.verbs;

class SoftDatagramContractTest extends DatagramContract {
    @Override
    String device() {
        return "soft0";
    }
}
