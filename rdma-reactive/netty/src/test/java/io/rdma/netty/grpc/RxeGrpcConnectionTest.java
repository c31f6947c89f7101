package io.rdma.netty.grpc;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeGrpcConnectionTest extends GrpcConnectionSuite {
    @Override
    String device() {
        return "rxe0";
    }
}
