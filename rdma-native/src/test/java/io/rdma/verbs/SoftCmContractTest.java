package io.rdma.verbs;

class SoftCmContractTest extends CmContract {
    @Override
    String device() {
        return "soft0";
    }

    @Override
    String host() {
        return "127.0.0.1";
    }

    @Override
    String host6() {
        return "::1";
    }

    @Override
    String nowhere() {
        return "224.0.0.251"; // a group
    }

    @Override
    int many() {
        return 64;
    }
}
