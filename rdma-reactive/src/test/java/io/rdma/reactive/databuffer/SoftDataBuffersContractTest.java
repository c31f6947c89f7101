package io.rdma.reactive.databuffer;

class SoftDataBuffersContractTest extends DataBuffersContract {
    @Override
    String device() {
        return "soft0";
    }
}
