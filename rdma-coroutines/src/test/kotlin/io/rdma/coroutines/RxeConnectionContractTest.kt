package io.rdma.coroutines

import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeConnectionContractTest : ConnectionContract() {
    override val device = "rxe0"

    /** Linux 6.1's rdma_rxe has the key in the completion, but not the flag. */
    override val tellsInvalidation = false
}
