package io.rdma.cm;

class SoftSharedWindowContractTest extends SharedWindowContract {
    @Override
    String device() {
        return "soft0";
    }
}
