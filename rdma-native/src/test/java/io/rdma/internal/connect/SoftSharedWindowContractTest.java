package io.rdma.internal.connect;

class SoftSharedWindowContractTest extends SharedWindowContract {
    @Override
    String device() {
        return "soft0";
    }
}
