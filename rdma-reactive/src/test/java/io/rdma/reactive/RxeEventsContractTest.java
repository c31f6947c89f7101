package io.rdma.reactive;

import org.junit.jupiter.api.Tag;

@Tag("rxe")
class RxeEventsContractTest extends EventsContract {
    @Override
    String device() {
        return "rxe0";
    }
}
