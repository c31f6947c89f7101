package io.rdma.reactive;

class SoftHooksContractTest extends HooksContract {
    @Override
    String device() {
        return "soft0";
    }
}
