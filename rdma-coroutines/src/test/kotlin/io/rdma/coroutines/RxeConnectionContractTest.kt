package io.rdma.coroutines

import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeConnectionContractTest : ConnectionContract() {
    override val device = "rxe0"
}
