package io.rdma.netty;

class SoftSocketSuiteTest extends SocketSuite {
    @Override
    String device() {
        return "soft0";
    }
}
