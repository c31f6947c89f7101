package io.rdma.netty;

class SoftSocketLoadSuiteTest extends SocketLoadSuite {
    @Override
    String device() {
        return "soft0";
    }
}
