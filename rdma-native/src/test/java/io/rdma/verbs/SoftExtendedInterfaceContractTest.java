package io.rdma.verbs;

class SoftExtendedInterfaceContractTest extends ExtendedInterfaceContract {
    @Override
    String device() {
        return "soft0";
    }
}
