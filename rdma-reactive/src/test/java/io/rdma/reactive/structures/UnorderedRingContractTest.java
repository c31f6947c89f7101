package io.rdma.reactive.structures;

class UnorderedRingContractTest extends RingContract {
    @Override
    String device() {
        return "soft-unordered0";
    }
}
