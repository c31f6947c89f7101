package io.rdma.verbs;

class UnorderedOperationContractTest extends OperationContract {
    @Override
    String device() {
        return "soft-unordered0";
    }
}
