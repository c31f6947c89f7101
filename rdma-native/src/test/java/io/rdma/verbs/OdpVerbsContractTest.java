package io.rdma.verbs;

class OdpVerbsContractTest extends VerbsContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
