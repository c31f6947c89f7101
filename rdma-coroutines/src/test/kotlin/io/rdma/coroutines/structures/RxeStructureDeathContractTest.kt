package io.rdma.coroutines.structures

import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeStructureDeathContractTest : StructureDeathContract() {
    override val device = "rxe0"
}
