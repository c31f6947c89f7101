package io.rdma.engine;

class SoftSharedReceivesContractTest extends SharedReceivesContract {
    @Override
    String device() {
        return "soft0";
    }
}
