package io.rdma.reactive.structures;

class SoftStructureDeathContractTest extends StructureDeathContract {
    @Override
    String device() {
        return "soft0";
    }
}
