package io.rdma.netty;

class SoftH2SpecSuiteTest extends H2SpecSuite {
    @Override
    String device() {
        return "soft0";
    }
}
