package io.rdma.internal.loop;

class SoftLoopPlaceContractTest extends LoopPlaceContract {
    @Override
    String device() {
        return "soft0";
    }
}
