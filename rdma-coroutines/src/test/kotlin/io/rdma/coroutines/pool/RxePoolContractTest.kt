package io.rdma.coroutines.pool

import io.rdma.testing.TestDevice
import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxePoolContractTest : PoolContract() {
    override val device = TestDevice.real()
}
