package io.rdma.spring.boot.http;

import io.rdma.testing.TestDevice;
import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeHttpOverRdmaTest extends HttpOverRdmaContract {
    @Override
    String device() {
        return TestDevice.real();
    }
}
