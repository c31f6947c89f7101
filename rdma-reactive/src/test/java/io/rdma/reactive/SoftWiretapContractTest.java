package io.rdma.reactive;

class SoftWiretapContractTest extends WiretapContract {
    @Override
    String device() {
        return "soft0";
    }
}
