package io.rdma.reactive;

class SoftSecurityContractTest extends SecurityContract {
    @Override
    String device() {
        return "soft0";
    }
}
