package io.rdma.spring.boot.http;

class SoftHttpOverRdmaTest extends HttpOverRdmaContract {
    @Override
    String device() {
        return "soft0";
    }
}
