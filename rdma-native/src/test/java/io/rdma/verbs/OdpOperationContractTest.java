package io.rdma.verbs;

class OdpOperationContractTest extends OperationContract {
    @Override
    String device() {
        return "soft-odp0";
    }
}
