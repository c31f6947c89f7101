package io.rdma.coroutines

import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeStreamEndContractTest : StreamEndContract() {
    override val device = "rxe0"
    override val host = "10.77.0.1"
}
