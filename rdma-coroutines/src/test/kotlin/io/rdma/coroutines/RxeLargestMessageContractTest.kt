package io.rdma.coroutines

import io.rdma.testing.TestDevice
import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeLargestMessageContractTest : LargestMessageContract() {
    override val device = TestDevice.real()
}
