package io.rdma.internal.connect;

class SoftFairSharesContractTest extends FairSharesContract {
    @Override
    String device() {
        return "soft0";
    }
}
