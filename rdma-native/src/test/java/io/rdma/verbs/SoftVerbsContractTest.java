package io.rdma.verbs;

class SoftVerbsContractTest extends VerbsContract {
    @Override
    String device() {
        return "soft0";
    }
}
