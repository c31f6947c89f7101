package io.rdma.netty;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The tests of one direction, of both, of ends and of writability. All others pass on this device as well, but take
 * five minutes in an emulated machine: they send 50 MB at a time, or test TLS, which is above the channels.
 */
@Tag("rxe")
class RxeSocketSuiteTest {
    @Nested
    class Sockets extends SocketSuite {
        @Override
        String device() {
            return "rxe0";
        }
    }
}
