package io.rdma.cm;

class SoftHostileClientContractTest extends HostileClientContract {
    @Override
    String device() {
        return "soft0";
    }
}
