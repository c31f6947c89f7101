package io.rdma.reactive;

class SoftSharedResourcesContractTest extends SharedResourcesContract {
    @Override
    String device() {
        return "soft0";
    }
}
