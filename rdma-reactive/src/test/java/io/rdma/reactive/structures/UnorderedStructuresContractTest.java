package io.rdma.reactive.structures;

class UnorderedStructuresContractTest extends StructuresContract {
    @Override
    String device() {
        return "soft-unordered0";
    }
}
