package io.rdma.coroutines

import io.rdma.testing.TestDevice
import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeXrcMessagesContractTest : XrcMessagesContract() {
    override val device = TestDevice.real()
    override val host = "10.77.0.1"
}
