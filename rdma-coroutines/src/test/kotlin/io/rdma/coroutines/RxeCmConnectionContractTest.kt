package io.rdma.coroutines

import io.rdma.connect.ConnectMethod
import io.rdma.testing.TestDevice
import org.junit.jupiter.api.Tag

/** Contract of a connection that RDMA CM makes. */
@Tag("rxe")
class RxeCmConnectionContractTest : ConnectionContract() {
    override val device = TestDevice.real()
    override val host = "10.77.0.1"
    override val connector = ConnectMethod.RDMA_CM

    /** rdma_rxe of Linux 6.1 has the key in the completion, but not the flag. */
    override val tellsInvalidation = false
}
