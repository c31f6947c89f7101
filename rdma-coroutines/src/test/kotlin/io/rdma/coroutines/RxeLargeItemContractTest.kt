package io.rdma.coroutines

import io.rdma.testing.TestDevice
import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeLargeItemContractTest : LargeItemContract() {
    override val device = TestDevice.real()
}
