package io.rdma.coroutines.call

import io.rdma.testing.TestDevice
import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeCallContractTest : CallContract() {
    override val device = TestDevice.real()
}
