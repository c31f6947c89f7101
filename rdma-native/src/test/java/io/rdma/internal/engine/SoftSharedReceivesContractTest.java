package io.rdma.internal.engine;

class SoftSharedReceivesContractTest extends SharedReceivesContract {
    @Override
    String device() {
        return "soft0";
    }
}
