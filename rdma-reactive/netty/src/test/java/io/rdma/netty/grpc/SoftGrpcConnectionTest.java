package io.rdma.netty.grpc;

class SoftGrpcConnectionTest extends GrpcConnectionSuite {
    @Override
    String device() {
        return "soft0";
    }
}
