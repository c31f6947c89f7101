package io.rdma.verbs;

class PortsVerbsContractTest extends VerbsContract {
    @Override
    String device() {
        return "soft-ports0";
    }
}
