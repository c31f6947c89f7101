package io.rdma.reactive.structures;

class SoftStructuresContractTest extends StructuresContract {
    @Override
    String device() {
        return "soft0";
    }
}
