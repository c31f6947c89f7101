package io.rdma.internal.engine;

class IwarpMappedFileContractTest extends MappedFileContract {
    @Override
    String device() {
        return "soft-iwarp0";
    }
}
