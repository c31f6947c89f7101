package io.rdma.coroutines

import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeServeContractTest : ServeContract() {
    override val device = "rxe0"
}
