package io.rdma.netty;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeSocketSuiteTest extends SocketSuite {
    @Override
    String device() {
        return "rxe0";
    }
}
