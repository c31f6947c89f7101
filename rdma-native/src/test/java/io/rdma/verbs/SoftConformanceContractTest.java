package io.rdma.verbs;

class SoftConformanceContractTest extends ConformanceContract {
    @Override
    String device() {
        return "soft0";
    }
}
