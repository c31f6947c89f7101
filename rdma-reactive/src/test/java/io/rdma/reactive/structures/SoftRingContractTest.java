package io.rdma.reactive.structures;

class SoftRingContractTest extends RingContract {
    @Override
    String device() {
        return "soft0";
    }
}
