package io.rdma.netty;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeWriteListenersTest extends WriteListeners {
    @Override
    String device() {
        return "rxe0";
    }
}
