package io.rdma.coroutines.structures

import io.rdma.testing.TestDevice
import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeStructureDeathContractTest : StructureDeathContract() {
    override val device = TestDevice.real()
}
