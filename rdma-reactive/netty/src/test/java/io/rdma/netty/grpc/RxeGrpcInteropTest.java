package io.rdma.netty.grpc;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeGrpcInteropTest extends GrpcInteropSuite {
    @Override
    String device() {
        return TestDevice.real();
    }
}
