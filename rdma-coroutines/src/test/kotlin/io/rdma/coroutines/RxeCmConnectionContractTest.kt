package io.rdma.coroutines

import io.rdma.connect.ConnectMethod
import org.junit.jupiter.api.Tag

/** The same promises over connections that the connection manager makes. */
@Tag("rxe")
class RxeCmConnectionContractTest : ConnectionContract() {
    override val device = "rxe0"
    override val host = "10.77.0.1"
    override val connector = ConnectMethod.RDMA_CM

    /** Linux 6.1's rdma_rxe has the key in the completion, but not the flag. */
    override val tellsInvalidation = false
}
