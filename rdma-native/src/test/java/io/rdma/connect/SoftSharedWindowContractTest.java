package io.rdma.connect;

class SoftSharedWindowContractTest extends SharedWindowContract {
    @Override
    String device() {
        return "soft0";
    }
}
