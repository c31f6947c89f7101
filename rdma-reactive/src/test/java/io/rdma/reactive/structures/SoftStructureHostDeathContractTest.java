package io.rdma.reactive.structures;

class SoftStructureHostDeathContractTest extends StructureHostDeathContract {
    @Override
    String device() {
        return "soft0";
    }
}
