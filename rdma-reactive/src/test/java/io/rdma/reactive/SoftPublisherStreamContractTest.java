package io.rdma.reactive;

class SoftPublisherStreamContractTest extends PublisherStreamContract {
    @Override
    String device() {
        return "soft0";
    }
}
