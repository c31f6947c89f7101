package io.rdma.netty.grpc;

class SoftGrpcInteropTest extends GrpcInteropSuite {
    @Override
    String device() {
        return "soft0";
    }
}
