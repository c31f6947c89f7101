package io.rdma.coroutines.call

import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeCallContractTest : CallContract() {
    override val device = "rxe0"
}
