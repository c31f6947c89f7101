package io.rdma.internal.engine;

class SoftMappedFileContractTest extends MappedFileContract {
    @Override
    String device() {
        return "soft0";
    }
}
