package io.rdma.reactive.structures;

class SoftStructureFaultsContractTest extends StructureFaultsContract {
    @Override
    String device() {
        return "soft0";
    }
}
