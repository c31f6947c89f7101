package io.rdma.coroutines.structures

import io.rdma.testing.TestDevice
import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeStructuresContractTest : StructuresContract() {
    override val device = TestDevice.real()
}
