package io.rdma.reactive.structures;

class SoftLocksContractTest extends LocksContract {
    @Override
    String device() {
        return "soft0";
    }
}
