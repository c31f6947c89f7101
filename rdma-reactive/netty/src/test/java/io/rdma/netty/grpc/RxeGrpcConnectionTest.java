package io.rdma.netty.grpc;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeGrpcConnectionTest extends GrpcConnectionSuite {
    @Override
    String device() {
        return TestDevice.real();
    }
}
