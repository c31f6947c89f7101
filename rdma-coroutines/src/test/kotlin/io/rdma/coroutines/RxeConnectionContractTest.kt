package io.rdma.coroutines

import io.rdma.testing.TestDevice
import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeConnectionContractTest : ConnectionContract() {
    override val device = TestDevice.real()

    /** rdma_rxe of Linux 6.1 has the key in the completion, but not the flag. */
    override val tellsInvalidation = false
}
