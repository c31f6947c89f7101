package io.rdma.verbs;

class SoftOperationContractTest extends OperationContract {
    @Override
    String device() {
        return "soft0";
    }
}
