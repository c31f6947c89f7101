package io.rdma.verbs;

class SoftCmDatagramContractTest extends CmDatagramContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }
}
