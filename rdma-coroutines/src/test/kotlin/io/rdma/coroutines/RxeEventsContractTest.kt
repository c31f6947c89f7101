package io.rdma.coroutines

import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeEventsContractTest : EventsContract() {
    override val device = "rxe0"
}
