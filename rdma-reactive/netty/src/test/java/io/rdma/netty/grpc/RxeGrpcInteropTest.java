package io.rdma.netty.grpc;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeGrpcInteropTest extends GrpcInteropSuite {
    @Override
    String device() {
        return "rxe0";
    }
}
