package io.rdma.coroutines.structures

import org.junit.jupiter.api.Tag

@Tag("rxe")
class RxeStructuresContractTest : StructuresContract() {
    override val device = "rxe0"
}
